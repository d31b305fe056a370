package dev.holdfast.stream;

import dev.holdfast.error.HoldfastException.StreamClosed;
import dev.holdfast.error.HoldfastException.StreamConflict;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.StreamRow;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Brings streams into being, or finds the one that has the name and compares it with what is wanted. Committer's thread. */
final class Creation {

    private final StreamEngine engine;
    private final LoadedStreams streams;
    private final KeyReservation keys;

    Creation(StreamEngine engine, LoadedStreams streams, KeyReservation keys) {
        this.engine = engine;
        this.streams = streams;
        this.keys = keys;
    }

    /** A stream, and whether it is new. */
    record Found(StreamLog log, boolean created) {}

    /** Goes on with a live stream, or creates one. */
    Found open(CommitScope scope, String tenant, String name, StreamOptions options, long owner, boolean takeOver) {
        StreamLog known = findLasting(scope, tenant, name);
        if (known == null) {
            return new Found(create(scope, tenant, name, options, owner), true);
        }
        StreamRow row = known.currentRow();
        checkTag(row, options.tag());
        if (options.contentType() != null && !options.contentType().equals(row.contentType())) {
            throw otherContentType(row, options.contentType());
        }
        if (row.state() != StreamRow.State.LIVE) {
            throw new StreamClosed(
                    name, row.state() == StreamRow.State.COMPLETED ? "completed" : "errored", known.currentTail());
        }
        if (takeOver) {
            known.takeOver(scope);
        }
        return new Found(known, false);
    }

    /** Creates a stream with its first chunks, or finds one that was created alike. */
    Found create(CommitScope scope, String tenant, String name, StreamCreation wanted) {
        StreamLog known = findLasting(scope, tenant, name);
        if (known != null) {
            checkAlike(known.currentRow(), wanted);
            return new Found(known, false);
        }
        StreamLog log = create(scope, tenant, name, wanted.options(), 0);
        AppendRequest first = AppendRequest.of(wanted.firstChunks());
        if (wanted.settled()) {
            log.append(scope, first.settling());
        } else if (!first.chunks().isEmpty()) {
            log.append(scope, first);
        }
        return new Found(log, true);
    }

    /** The stream of this name; one that expired is ended first. */
    private @Nullable StreamLog findLasting(CommitScope scope, String tenant, String name) {
        StreamLog log = streams.find(scope, tenant, name);
        if (log != null && log.expired(scope.now())) {
            log.discard(scope);
            return null;
        }
        return log;
    }

    private StreamLog create(CommitScope scope, String tenant, String name, StreamOptions options, long owner) {
        long now = scope.now();
        StreamRow row = new StreamRow(
                keys.next(scope),
                tenant,
                name,
                engine.time().randomLong(),
                owner,
                StreamRow.State.LIVE,
                null,
                options.tag(),
                options.contentType() == null ? StreamOptions.DEFAULT_CONTENT_TYPE : options.contentType(),
                options.metadata(),
                now,
                now,
                0,
                1,
                0,
                0,
                0,
                now,
                ttlMillis(options),
                deadline(options, now),
                new byte[0]);
        StreamLog log = new StreamLog(engine, row);
        log.create(scope);
        streams.creating(log);
        return log;
    }

    private static long ttlMillis(StreamOptions options) {
        Duration ttl = options.ttl();
        return ttl == null ? 0 : ttl.toMillis();
    }

    private static long expiryMillis(StreamOptions options) {
        Instant expiry = options.expiresAt();
        return expiry == null ? 0 : expiry.toEpochMilli();
    }

    private static long deadline(StreamOptions options, long now) {
        long ttl = ttlMillis(options);
        return ttl > 0 ? Expiries.persistedDeadline(now, ttl) : expiryMillis(options);
    }

    private static void checkTag(StreamRow row, @Nullable String wanted) {
        if (wanted != null && !wanted.equals(row.tag())) {
            throw new StreamConflict(
                    "Stream \"%s\" exists with the tag %s, not \"%s\". Use its tag, or none, or another name."
                            .formatted(row.name(), row.tag() == null ? "(none)" : "\"" + row.tag() + "\"", wanted));
        }
    }

    private static StreamConflict otherContentType(StreamRow row, String wanted) {
        return new StreamConflict("Stream \"%s\" exists with content type %s, not %s. Use that one, or another name."
                .formatted(row.name(), row.contentType(), wanted));
    }

    /** Whether a stream is what a creation of the same name would make, so that repeating one is harmless. */
    private static void checkAlike(StreamRow row, StreamCreation wanted) {
        StreamOptions options = wanted.options();
        checkTag(row, options.tag());
        String type = options.contentType() == null ? StreamOptions.DEFAULT_CONTENT_TYPE : options.contentType();
        if (!MediaTypes.same(type, row.contentType())) {
            throw otherContentType(row, type);
        }
        boolean sameLife = row.ttlMillis() == ttlMillis(options)
                && (row.ttlMillis() > 0 || row.expiresAt() == expiryMillis(options));
        if (!sameLife) {
            throw new StreamConflict(
                    "Stream \"%s\" exists with another time to live or expiry. Ask for the same, or use another name."
                            .formatted(row.name()));
        }
        boolean settled = row.state() != StreamRow.State.LIVE;
        if (settled != wanted.settled()) {
            throw new StreamConflict("Stream \"%s\" exists and is %s. Use another name."
                    .formatted(row.name(), settled ? "settled" : "still live"));
        }
    }
}
