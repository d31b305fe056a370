package dev.holdfast.store.sqlite;

import dev.holdfast.store.LogEntry;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * Reads and verifies the journal at start on a thread of its own, a little ahead of who takes its entries: what SQLite and the checksums
 * cost then passes while the entries before are handed out.
 *
 * <p>The reading thread uses the connection until it ended; {@link #close} waits for that. At most {@link #MAX_STEPS_AHEAD} steps wait.
 */
final class JournalReader implements AutoCloseable {

    /** Entries are handed over in steps of about this size, so that small ones do not cost a hand-over each. */
    private static final int STEP_BYTES = 1 << 20;

    private static final int MAX_STEPS_AHEAD = 4;

    /** What reads: gives every entry to the taker, in order. */
    interface Source {
        void read(Taker taker) throws SQLException;
    }

    /** Takes one entry after the other. */
    interface Taker {
        void take(LogEntry entry);
    }

    /** Ends the reading thread when nobody takes its entries any more. */
    private static final class Abandoned extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private final BlockingQueue<List<LogEntry>> steps = new ArrayBlockingQueue<>(MAX_STEPS_AHEAD);
    private final Thread thread;
    private volatile boolean closed;

    /** Why reading ended early; written before the empty step that ends it all. */
    private volatile @Nullable Throwable failure;

    // Below: the reading thread.
    private List<LogEntry> step = new ArrayList<>();
    private long stepBytes;

    JournalReader(Source source) {
        this.thread = Thread.ofPlatform().name("holdfast-recover").daemon(true).start(() -> read(source));
    }

    private void read(Source source) {
        try {
            source.read(this::take);
            if (!step.isEmpty()) {
                handOver(step);
            }
        } catch (Abandoned e) {
            return;
        } catch (SQLException | RuntimeException | Error e) {
            failure = e;
        }
        try {
            handOver(List.of());
        } catch (Abandoned e) {
            return;
        }
    }

    private void take(LogEntry entry) {
        step.add(entry);
        stepBytes += entry.bytes();
        if (stepBytes >= STEP_BYTES) {
            handOver(step);
            step = new ArrayList<>();
            stepBytes = 0;
        }
    }

    private void handOver(List<LogEntry> entries) {
        try {
            steps.put(entries);
        } catch (InterruptedException e) {
            throw new Abandoned();
        }
        if (closed) {
            throw new Abandoned();
        }
    }

    /**
     * The next entries, in order; empty after the last ones. Waits for them, whether interrupted or not.
     *
     * @throws SQLException as the source did, after the entries before
     */
    List<LogEntry> next() throws SQLException {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    List<LogEntry> entries = steps.take();
                    if (entries.isEmpty()) {
                        rethrow(failure);
                    }
                    return entries;
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static void rethrow(@Nullable Throwable failure) throws SQLException {
        switch (failure) {
            case null -> {}
            case SQLException e -> throw e;
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new IllegalStateException(failure);
        }
    }

    /** Stops reading, if it goes on, and waits until the connection is free. */
    @Override
    public void close() {
        closed = true;
        steps.clear(); // whoever waits for room finds it, and sees that this is closed
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
