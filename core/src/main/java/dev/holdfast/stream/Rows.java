package dev.holdfast.stream;

import dev.holdfast.store.PropertyRow;
import dev.holdfast.store.StreamRow;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Changes of a stream's row, and how an API shows one. */
final class Rows {

    private Rows() {}

    /** Every column but key, tenant and name, for comparing two rows: arrays by what is in them. */
    static String describe(StreamRow r) {
        HexFormat hex = HexFormat.of();
        return ("%s error=%s tag=%s type=%s metadata=%s owner=%d incarnation=%d created=%d updated=%d closed=%d epoch=%d first=%d sealed=%d "
                        + "tail=%d appended=%d ttl=%d expires=%d marks=%s kin=%d,%d,%s kept=%s")
                .formatted(
                        r.state(),
                        r.error(),
                        r.tag(),
                        r.contentType(),
                        hex.formatHex(r.metadata()),
                        r.owner(),
                        r.incarnation(),
                        r.createdAt(),
                        r.updatedAt(),
                        r.closedAt(),
                        r.epoch(),
                        r.firstSeq(),
                        r.sealedTo(),
                        r.tail(),
                        r.lastAppendAt(),
                        r.ttlMillis(),
                        r.expiresAt(),
                        hex.formatHex(r.marks()),
                        r.kin().source(),
                        r.kin().forks(),
                        hex.formatHex(r.kin().lineage()),
                        r.retained());
    }

    /** Whose the properties of a stream are. */
    static String owner(long streamKey) {
        return new PropertyRow.Owner.Stream(streamKey).encoded();
    }

    static StreamStatus status(StreamRow r, StreamState state, long tail, long lastAppendAt, long deadline) {
        return new StreamStatus(
                r.name(),
                state,
                r.error(),
                r.tag(),
                r.contentType(),
                r.metadata(),
                r.incarnation(),
                r.epoch(),
                r.firstSeq(),
                tail,
                Instant.ofEpochMilli(r.createdAt()),
                Instant.ofEpochMilli(lastAppendAt),
                r.closedAt() == 0 ? null : Instant.ofEpochMilli(r.closedAt()),
                r.ttlMillis() == 0 ? null : Duration.ofMillis(r.ttlMillis()),
                deadline == 0 ? null : Instant.ofEpochMilli(deadline),
                retention(r.retained()),
                new StreamStatus.Position(r.createdAt(), r.key()));
    }

    private static @Nullable Retention retention(StreamRow.Retained r) {
        return r.limits()
                ? new Retention(r.maxAgeMillis() == 0 ? null : Duration.ofMillis(r.maxAgeMillis()), r.maxBytes())
                : null;
    }

    static StreamRow.Retained retained(@Nullable Retention wanted) {
        return wanted == null
                ? StreamRow.Retained.ALL
                : new StreamRow.Retained(wanted.maxAgeMillis(), wanted.maxBytes(), 0, 0);
    }

    static StreamState stateOf(StreamRow r) {
        return switch (r.state()) {
            case LIVE -> StreamState.LIVE;
            case COMPLETED -> StreamState.COMPLETED;
            case ERRORED, DISCARDED, DELETED -> StreamState.ERRORED;
        };
    }

    static StreamRow withKey(StreamRow row, long key) {
        return edit(row).key(key).row();
    }

    /** The row of a new fork: {@code plain} says what is its own, {@code source} the rest. */
    static StreamRow asFork(StreamRow plain, StreamRow source, boolean ownLife, Forks.Plan plan, long now) {
        long ttl = ownLife ? plain.ttlMillis() : source.ttlMillis();
        long expiry = ownLife ? plain.expiresAt() : source.expiresAt();
        return edit(plain)
                .contentType(source.contentType())
                .ttlMillis(ttl)
                .expiresAt(Creation.deadline(ttl, expiry, now))
                .firstSeq(source.firstSeq())
                .sealedTo(plan.boundary())
                .tail(plan.boundary())
                .kin(new StreamRow.Kin(source.key(), 0, plan.lineage().encode()))
                .retained(asFork(plain.retained(), source.retained(), plan))
                .row();
    }

    private static StreamRow.Retained asFork(StreamRow.Retained own, StreamRow.Retained source, Forks.Plan plan) {
        StreamRow.Retained limits = own.limits() ? own : source;
        long trimAt = limits.maxAgeMillis() == 0 || plan.oldestAt() == 0 ? 0 : plan.oldestAt() + limits.maxAgeMillis();
        return new StreamRow.Retained(limits.maxAgeMillis(), limits.maxBytes(), plan.sealedBytes(), trimAt);
    }

    static Edit edit(StreamRow row) {
        return new Edit(row);
    }

    /** A row with some fields replaced. */
    static final class Edit {
        private final StreamRow base;
        private long key;
        private String contentType;
        private long ttlMillis;
        private StreamRow.State state;
        private @Nullable String error;
        private long updatedAt;
        private long closedAt;
        private long epoch;
        private long firstSeq;
        private long sealedTo;
        private long tail;
        private long lastAppendAt;
        private long expiresAt;
        private byte[] marks;
        private StreamRow.Kin kin;
        private StreamRow.Retained retained;

        private Edit(StreamRow row) {
            base = row;
            key = row.key();
            contentType = row.contentType();
            ttlMillis = row.ttlMillis();
            state = row.state();
            error = row.error();
            updatedAt = row.updatedAt();
            closedAt = row.closedAt();
            epoch = row.epoch();
            firstSeq = row.firstSeq();
            sealedTo = row.sealedTo();
            tail = row.tail();
            lastAppendAt = row.lastAppendAt();
            expiresAt = row.expiresAt();
            marks = row.marks();
            kin = row.kin();
            retained = row.retained();
        }

        Edit key(long value) {
            key = value;
            return this;
        }

        Edit contentType(String value) {
            contentType = value;
            return this;
        }

        Edit ttlMillis(long value) {
            ttlMillis = value;
            return this;
        }

        Edit kin(StreamRow.Kin value) {
            kin = value;
            return this;
        }

        Edit state(StreamRow.State value) {
            state = value;
            return this;
        }

        Edit error(@Nullable String value) {
            error = value;
            return this;
        }

        Edit updatedAt(long value) {
            updatedAt = value;
            return this;
        }

        Edit closedAt(long value) {
            closedAt = value;
            return this;
        }

        Edit epoch(long value) {
            epoch = value;
            return this;
        }

        Edit firstSeq(long value) {
            firstSeq = value;
            return this;
        }

        Edit sealedTo(long value) {
            sealedTo = value;
            return this;
        }

        Edit tail(long value) {
            tail = value;
            return this;
        }

        Edit lastAppendAt(long value) {
            lastAppendAt = value;
            return this;
        }

        Edit expiresAt(long value) {
            expiresAt = value;
            return this;
        }

        Edit marks(byte[] value) {
            marks = value;
            return this;
        }

        Edit forks(long value) {
            kin = kin.withForks(value);
            return this;
        }

        Edit retained(StreamRow.Retained value) {
            retained = value;
            return this;
        }

        StreamRow row() {
            return new StreamRow(
                    key,
                    base.tenant(),
                    base.name(),
                    base.incarnation(),
                    base.owner(),
                    state,
                    error,
                    base.tag(),
                    contentType,
                    base.metadata(),
                    base.createdAt(),
                    updatedAt,
                    closedAt,
                    epoch,
                    firstSeq,
                    sealedTo,
                    tail,
                    lastAppendAt,
                    ttlMillis,
                    expiresAt,
                    marks,
                    kin,
                    retained);
        }
    }
}
