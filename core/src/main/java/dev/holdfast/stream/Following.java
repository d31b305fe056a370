package dev.holdfast.stream;

import dev.holdfast.store.LogEntry;
import dev.holdfast.store.Store;
import dev.holdfast.store.StoreReads;
import dev.holdfast.store.StreamRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongPredicate;
import java.util.function.Supplier;

/**
 * Keeps the streams that are read here as their writer on another node makes them. Each look is one snapshot of the store: the rows of the
 * streams that have readers, and what their logs hold behind the last look. What is missed by one look is found by the next (NO-SEAM), so
 * that whatever says when to look is a hint.
 *
 * <p>It stands in for the committer: a following engine has none, and what otherwise belongs to the committer's thread is guarded by a lock,
 * under which the database is asked.
 */
final class Following {

    /** Of one stream and one look; what is left comes with the next, at once. */
    private static final int MAX_LOG_BYTES = 4 << 20;

    private final StreamEngine engine;
    private final LoadedStreams streams;
    private final ReentrantLock lock = new ReentrantLock();

    Following(StreamEngine engine, LoadedStreams streams) {
        this.engine = engine;
        this.streams = streams;
    }

    /** The stream as it stands, from now on kept up to date while it has readers. */
    Optional<StreamLog> load(String tenant, String name) {
        return locked(() -> loadLocked(tenant, name));
    }

    private Optional<StreamLog> loadLocked(String tenant, String name) {
        Optional<StreamLog> known = streams.named(tenant, name);
        if (known.isPresent() && known.get().attached().count() > 0) {
            return known; // it is kept up to date
        }
        known.ifPresent(log -> forget(log));
        Optional<Look> look =
                store().read(reads -> reads.stream(tenant, name).map(row -> look(reads, row, row.sealedTo())));
        return look.filter(found -> !found.row().state().isGone()).map(this::register);
    }

    private StreamLog register(Look look) {
        StreamLog log = new StreamLog(engine, look.row());
        log.follow(Optional.of(look.row()), look.entries());
        streams.register(log);
        while (look.isCut()) {
            look = store().read(
                            reads -> look(reads, log.committedRow(), log.view().tail()));
            log.follow(Optional.of(look.row()), look.entries());
        }
        return log;
    }

    private void forget(StreamLog log) {
        if (log.attached().tryEvict()) {
            streams.forget(log);
        }
    }

    /**
     * Looks at what has readers here and may have changed.
     *
     * @param changed whether the stream of a key may have changed
     */
    void look(LongPredicate changed) {
        Boolean unused = locked(() -> {
            for (StreamLog log : streams.inOrder()) {
                if (log.attached().count() == 0) {
                    forget(log);
                } else if (changed.test(log.key()) && !log.view().gone()) {
                    look(log);
                }
            }
            return true;
        });
    }

    private void look(StreamLog log) {
        boolean cut;
        do {
            long tail = log.view().tail();
            Optional<Look> look = store().read(reads -> reads.stream(log.key()).map(row -> look(reads, row, tail)));
            cut = look.isPresent() && look.get().isCut();
            if (log.follow(look.map(Look::row), look.map(Look::entries).orElse(List.of()))) {
                log.wakeReaders();
            }
        } while (cut);
    }

    /** Whether anything is read here. */
    boolean isIdle() {
        return streams.all().stream().allMatch(log -> log.attached().count() == 0);
    }

    private <T> T locked(Supplier<T> work) {
        lock.lock();
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }

    private Store store() {
        return engine.store();
    }

    private static Look look(StoreReads reads, StreamRow row, long tail) {
        return new Look(row, new ArrayList<>(reads.log(row.key(), Math.max(tail, row.sealedTo()), MAX_LOG_BYTES)));
    }

    /** A stream at one instant: its row, and its log from where it was known to. */
    private record Look(StreamRow row, List<LogEntry> entries) {

        /** Whether there may be more of the log than was read. */
        boolean isCut() {
            return entries.stream().mapToLong(LogEntry::bytes).sum() >= MAX_LOG_BYTES;
        }
    }
}
