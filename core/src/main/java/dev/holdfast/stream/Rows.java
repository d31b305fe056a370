package dev.holdfast.stream;

import dev.holdfast.store.PropertyRow;
import dev.holdfast.store.StreamRow;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Changes of a stream's row, and how an API shows one. */
final class Rows {

    private Rows() {}

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
                new StreamStatus.Position(r.createdAt(), r.key()));
    }

    static StreamState stateOf(StreamRow r) {
        return switch (r.state()) {
            case LIVE -> StreamState.LIVE;
            case COMPLETED -> StreamState.COMPLETED;
            case ERRORED, DISCARDED -> StreamState.ERRORED;
        };
    }

    static Edit edit(StreamRow row) {
        return new Edit(row);
    }

    /** A row with some fields replaced. */
    static final class Edit {
        private final StreamRow base;
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

        private Edit(StreamRow row) {
            base = row;
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

        StreamRow row() {
            return new StreamRow(
                    base.key(),
                    base.tenant(),
                    base.name(),
                    base.incarnation(),
                    base.owner(),
                    state,
                    error,
                    base.tag(),
                    base.contentType(),
                    base.metadata(),
                    base.createdAt(),
                    updatedAt,
                    closedAt,
                    epoch,
                    firstSeq,
                    sealedTo,
                    tail,
                    lastAppendAt,
                    base.ttlMillis(),
                    expiresAt,
                    marks);
        }
    }
}
