package dev.holdfast.stream;

import dev.holdfast.error.HoldfastException.StreamClosed;
import dev.holdfast.error.HoldfastException.StreamConflict;
import dev.holdfast.error.HoldfastException.StreamGone;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.StreamRow;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Brings streams into being, or finds the one that has the name and compares it with what is wanted. Committer's thread. */
final class Creation {

    private final StreamEngine engine;
    private final LoadedStreams streams;
    private final KeyReservation keys;
    private final Forks forks;

    Creation(StreamEngine engine, LoadedStreams streams, KeyReservation keys, Forks forks) {
        this.engine = engine;
        this.streams = streams;
        this.keys = keys;
        this.forks = forks;
    }

    /** A stream, and whether it is new. */
    record Found(StreamLog log, boolean created) {}

    /** Goes on with a live stream, or creates one. */
    Found open(CommitScope scope, String tenant, String name, StreamOptions options, long owner, boolean takeOver) {
        StreamLog known = findLasting(scope, tenant, name);
        if (known == null) {
            engine.checkHome(tenant, name);
            StreamLog log = insert(scope, row(scope, tenant, name, options, owner));
            return new Found(log, true);
        }
        StreamRow row = known.currentRow();
        checkTag(row, options.tag());
        if (options.contentType() != null && !options.contentType().equals(row.contentType())) {
            throw otherContentType(row, options.contentType());
        }
        requireLive(known);
        if (takeOver) {
            RowChanges.takeOver(scope, known);
        }
        return new Found(known, false);
    }

    /**
     * @throws StreamClosed if it is settled
     */
    static void requireLive(StreamLog log) {
        StreamRow row = log.currentRow();
        if (row.state() != StreamRow.State.LIVE) {
            throw new StreamClosed(
                    row.name(), row.state() == StreamRow.State.COMPLETED ? "completed" : "errored", log.currentTail());
        }
    }

    /** Creates a stream with its first chunks, or finds one that was created alike. */
    Found create(CommitScope scope, String tenant, String name, StreamCreation wanted) {
        StreamLog known = findLasting(scope, tenant, name);
        if (known != null) {
            checkAlike(scope, known, wanted);
            return new Found(known, false);
        }
        Fork fork = wanted.fork();
        StreamRow plain = row(scope, tenant, name, wanted.options(), 0);
        StreamLog log = fork == null ? insert(scope, plain) : insertFork(scope, plain, wanted.options(), fork);
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
        try {
            StreamLog log = streams.find(scope, tenant, name);
            if (log == null || !log.expired(scope.now())) {
                return log;
            }
            if (log.currentRow().kin().forks() > 0) {
                engine.upkeep().expireSoon(log, scope.now());
                throw new StreamGone(name); // before anything is written, so that the rest of the batch is spared
            }
            engine.discard(scope, log);
            return streams.find(scope, tenant, name);
        } catch (StreamGone e) {
            throw new StreamConflict(
                    "Stream \"%s\" is gone, but streams that were forked from it are not. Delete them, or use another name."
                            .formatted(name));
        }
    }

    private StreamRow row(CommitScope scope, String tenant, String name, StreamOptions options, long owner) {
        long now = scope.now();
        return new StreamRow(
                0,
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
                deadline(ttlMillis(options), expiryMillis(options), now),
                new byte[0],
                StreamRow.Kin.NONE,
                Rows.retained(options.retention()));
    }

    private StreamLog insert(CommitScope scope, StreamRow row) {
        StreamLog log = new StreamLog(engine, Rows.withKey(row, keys.next(scope)));
        log.create(scope);
        streams.creating(log);
        return log;
    }

    /** What the options leave open is as with the source. */
    private StreamLog insertFork(CommitScope scope, StreamRow plain, StreamOptions options, Fork fork) {
        Forks.Plan plan = forks.plan(scope, plain.tenant(), fork);
        StreamRow source = plan.source().currentRow();
        if (options.contentType() != null && !MediaTypes.same(options.contentType(), source.contentType())) {
            throw new StreamConflict("A fork has the content type of its source, which is %s, not %s."
                    .formatted(source.contentType(), options.contentType()));
        }
        StreamLog log = insert(scope, Rows.asFork(plain, source, hasOwnLife(options), plan, scope.now()));
        forks.hold(scope, plan.source());
        for (AppendRequest copies : AppendRequest.split(plan.copies())) {
            log.append(scope, copies);
        }
        return log;
    }

    private static boolean hasOwnLife(StreamOptions options) {
        return options.ttl() != null || options.expiresAt() != null;
    }

    private static long ttlMillis(StreamOptions options) {
        Duration ttl = options.ttl();
        return ttl == null ? 0 : ttl.toMillis();
    }

    private static long expiryMillis(StreamOptions options) {
        Instant expiry = options.expiresAt();
        return expiry == null ? 0 : expiry.toEpochMilli();
    }

    /** The deadline to write: a sliding one or a fixed one. */
    static long deadline(long ttl, long expiry, long now) {
        return ttl > 0 ? Expiries.persistedDeadline(now, ttl) : expiry;
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
    private void checkAlike(CommitScope scope, StreamLog log, StreamCreation wanted) {
        StreamRow row = log.currentRow();
        StreamOptions options = wanted.options();
        Optional<StreamRow> source = row.kin().source() == 0
                ? Optional.empty()
                : rowOf(scope, row.kin().source());
        checkTag(row, options.tag());
        checkFork(row, log.lineage().point(), source, wanted.fork());
        String type = options.contentType() != null
                ? options.contentType()
                : source.map(StreamRow::contentType).orElse(StreamOptions.DEFAULT_CONTENT_TYPE);
        if (!MediaTypes.same(type, row.contentType())) {
            throw otherContentType(row, type);
        }
        checkLife(row, hasOwnLife(options) ? Optional.empty() : source, options);
        boolean settled = row.state() != StreamRow.State.LIVE;
        if (settled != wanted.settled()) {
            throw new StreamConflict("Stream \"%s\" exists and is %s. Use another name."
                    .formatted(row.name(), settled ? "settled" : "still live"));
        }
    }

    private Optional<StreamRow> rowOf(CommitScope scope, long key) {
        StreamLog log = streams.find(scope, key);
        return log != null ? Optional.of(log.currentRow()) : scope.reads().stream(key);
    }

    private static void checkFork(
            StreamRow row, Lineage.Point point, Optional<StreamRow> source, @Nullable Fork wanted) {
        boolean same = wanted == null
                ? source.isEmpty()
                : source.isPresent()
                        && source.get().name().equals(wanted.source())
                        && wanted.at().orElse(point.at()) == point.at()
                        && wanted.past() == point.past()
                        && (wanted.past() == 0 || wanted.unit() == point.unit());
        if (!same) {
            throw new StreamConflict(
                    "Stream \"%s\" exists and was not forked like that. Use another name.".formatted(row.name()));
        }
    }

    private static void checkLife(StreamRow row, Optional<StreamRow> like, StreamOptions options) {
        long ttl = like.map(StreamRow::ttlMillis).orElse(ttlMillis(options));
        long expiry = like.map(StreamRow::expiresAt).orElse(expiryMillis(options));
        if (row.ttlMillis() != ttl || (ttl == 0 && row.expiresAt() != expiry)) {
            throw new StreamConflict(
                    "Stream \"%s\" exists with another time to live or expiry. Ask for the same, or use another name."
                            .formatted(row.name()));
        }
    }
}
