package dev.holdfast.stream;

import dev.holdfast.error.HoldfastException.StoreDamaged;
import dev.holdfast.store.AppendRecord;
import dev.holdfast.store.LogEntry;
import dev.holdfast.store.StoreReads;
import dev.holdfast.store.StreamRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongPredicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the streams that are read here as their writer on another node makes them. Each look is one snapshot of the store: the rows of the
 * streams that have readers, and all that their logs hold behind the last look. What is missed by one look is found by the next (NO-SEAM), so
 * that whatever says when to look is a hint.
 *
 * <p>Only streams with readers are kept. Whoever asks for one is answered from a look of that moment, never from what was seen before: the
 * caller may have a cursor, or an answer of the writer, that is newer (EXPLICIT-CURSOR).
 *
 * <p>It stands in for the committer: a following engine has none, and what otherwise belongs to the committer's thread is guarded by a lock,
 * under which the database is asked.
 */
final class Following {

    private static final Logger LOG = LoggerFactory.getLogger(Following.class);

    /** Of one read of a log; what is left is read at once, in the same snapshot. */
    private static final int MAX_LOG_BYTES = 4 << 20;

    private final StreamEngine engine;
    private final LoadedStreams streams;
    private final ReentrantLock lock = new ReentrantLock();

    Following(StreamEngine engine, LoadedStreams streams) {
        this.engine = engine;
        this.streams = streams;
    }

    /** Attaches a reader to the stream as it stands, from now on kept up to date while it has readers. */
    Optional<StreamLog> attach(String tenant, String name) {
        return locked(() -> {
            Optional<StreamLog> found = present(tenant, name);
            found.filter(log -> log.attached().enter()).ifPresent(streams::register);
            return found;
        });
    }

    /** The stream as it stands. */
    Optional<StreamLog> view(String tenant, String name) {
        return locked(() -> present(tenant, name));
    }

    private Optional<StreamLog> present(String tenant, String name) {
        Optional<StreamLog> known = streams.named(tenant, name);
        if (known.isPresent()) {
            look(known.get());
            if (!known.get().view().gone()) {
                return known;
            }
            streams.forget(known.get()); // another one may have its name by now; its readers go on with what they have
        }
        return engine.store()
                .read(reads -> reads.stream(tenant, name)
                        .filter(row -> !row.state().isGone())
                        .map(row -> Look.at(reads, row, row.sealedTo())))
                .map(this::loaded);
    }

    private StreamLog loaded(Look look) {
        StreamLog log = new StreamLog(engine, look.row());
        log.follow(Optional.of(look.row()), look.entries());
        return log;
    }

    /** The last reader left. */
    void left(StreamLog log) {
        Boolean unused = locked(() -> {
            if (log.attached().count() == 0) {
                streams.forget(log);
            }
            return true;
        });
    }

    /**
     * Looks at what has readers here and may have changed.
     *
     * @param changed whether the stream of a key may have changed
     */
    void look(LongPredicate changed) {
        Boolean unused = locked(() -> {
            for (StreamLog log : streams.inOrder()) {
                if (changed.test(log.key()) && !log.view().gone()) {
                    look(log);
                }
            }
            return true;
        });
    }

    private void look(StreamLog log) {
        try {
            long tail = log.view().tail();
            Optional<Look> look =
                    engine.store().read(reads -> reads.stream(log.key()).map(row -> Look.at(reads, row, tail)));
            if (log.follow(look.map(Look::row), look.map(Look::entries).orElse(List.of()))) {
                log.wakeReaders();
            }
        } catch (StoreDamaged e) { // the others are not to wait for this one
            LOG.error("Stream \"{}\" cannot be followed", log.name(), e);
            log.attached().cutAll();
        }
    }

    /** Whether nothing is read here. */
    boolean isIdle() {
        return streams.all().isEmpty();
    }

    private <T> T locked(Supplier<T> work) {
        lock.lock();
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }

    /** A stream at one instant: its row, and its log from where it was known to. */
    private record Look(StreamRow row, List<LogEntry> entries) {

        static Look at(StoreReads reads, StreamRow row, long tail) {
            List<LogEntry> entries = new ArrayList<>();
            long from = Math.max(tail, row.sealedTo());
            List<LogEntry> more = reads.log(row.key(), from, MAX_LOG_BYTES);
            while (!more.isEmpty()) {
                entries.addAll(more);
                long next = end(more.getLast());
                more = next > from ? reads.log(row.key(), next, MAX_LOG_BYTES) : List.of();
                from = next;
            }
            return new Look(row, entries);
        }

        private static long end(LogEntry entry) {
            return entry.records().stream()
                    .mapToLong(AppendRecord::nextSeq)
                    .max()
                    .orElse(0);
        }
    }
}
