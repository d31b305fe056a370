package dev.holdfast.store.sqlite;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.StoreBusy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies the write-ahead log into the database file and lets it start over, so that it stays bounded and commits do not wait for it.
 *
 * <p>The log can start over only at a moment when all of it is copied and no reader stands in it. A copy that runs beside the writer never
 * gets to such a moment by itself: the writer has moved on when it ends. So the work is split. Most of the copying is done by a thread of
 * its own, from {@link SqliteLimits#CHECKPOINT_WAL_BYTES} on; when it is through, the committer copies the few frames written meanwhile
 * between two transactions, and its next write starts the log over. If readers stand in the way until
 * {@link SqliteLimits#RESTART_WAL_BYTES}, the committer waits for them, at most {@link SqliteLimits#MAX_RESTART_WAIT_MILLIS}: new readers
 * read the file itself by then. A reader of the application that keeps its snapshot for very long stops all this; from
 * {@link SqliteLimits#MAX_WAL_BYTES} on writes are refused with {@code StoreBusy} until it ends.
 *
 * <p>A failed fsync poisons the store. Any other failure of a copy loses nothing, as the log is still there, and is tried again later.
 *
 * <p>{@link #beforeTransaction} is called by the committer; the volatile fields are all that it shares with the thread.
 */
final class Checkpointer implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Checkpointer.class);

    private static final String LOOK = "PRAGMA wal_checkpoint(NOOP)";
    private static final String COPY = "PRAGMA wal_checkpoint(PASSIVE)";
    private static final String RESTART = "PRAGMA wal_checkpoint(RESTART)";
    private static final String TRUNCATE = "PRAGMA wal_checkpoint(TRUNCATE)";

    private final Statements writer;
    private final Statements own;
    private final FailStop failStop;
    private final SqlFailures failures;
    private final Duration busyTimeout;
    private final Thread thread;

    private final Semaphore wanted = new Semaphore(0);
    /** Set by the committer when it asks for a copy, cleared by the thread when it is done. */
    private volatile boolean copying;
    /** Set by the thread when a copy is done, cleared by the committer. */
    private volatile boolean copied;

    private volatile boolean closing;

    /** Bytes in the log, possibly more than there are; the committer's alone. */
    private long walBytes;
    /** When to look next; the committer's alone. */
    private long lookAt = SqliteLimits.CHECKPOINT_WAL_BYTES;

    Checkpointer(Statements writer, Statements own, FailStop failStop, SqlFailures failures, Duration busyTimeout) {
        this.writer = writer;
        this.own = own;
        this.failStop = failStop;
        this.failures = failures;
        this.busyTimeout = busyTimeout;
        this.thread =
                Thread.ofPlatform().name("holdfast-checkpoint").daemon(true).start(this::serve);
    }

    /**
     * What a checkpoint reports.
     *
     * @param busy whether someone stood in its way
     * @param frames frames in the log
     * @param copied frames of them that are in the database file
     */
    private record Progress(boolean busy, long frames, long copied) {
        long bytes() {
            return frames * SqliteLimits.WAL_FRAME_BYTES;
        }

        boolean isComplete() {
            return frames == copied;
        }
    }

    /**
     * Called by the committer between two transactions.
     *
     * @throws StoreBusy if a long reader has made the log reach its limit
     */
    void beforeTransaction() {
        walBytes += writer.takeEstimatedWalBytes();
        try {
            if (copied) {
                copied = false;
                finish();
            } else if (walBytes >= lookAt && !copying) {
                look();
            }
            if (walBytes >= SqliteLimits.MAX_WAL_BYTES) {
                enforceLimit();
            }
        } catch (SQLException e) {
            note(e);
        }
    }

    private void look() throws SQLException {
        Progress progress = checkpoint(writer, LOOK);
        walBytes = progress.bytes();
        if (walBytes >= SqliteLimits.CHECKPOINT_WAL_BYTES) {
            copying = true;
            wanted.release();
        }
        lookAt = Math.max(SqliteLimits.CHECKPOINT_WAL_BYTES, walBytes + SqliteLimits.CHECKPOINT_WAL_BYTES / 4);
    }

    private void finish() throws SQLException {
        Progress progress = checkpoint(writer, COPY);
        walBytes = progress.bytes();
        if (walBytes >= SqliteLimits.RESTART_WAL_BYTES) {
            progress = waitForReaders(SqliteLimits.MAX_RESTART_WAIT_MILLIS);
        }
        if (progress.isComplete() && !progress.busy()) {
            // The next write starts the log over, unless a reader stands in it; then the next look tells.
            walBytes = 0;
            lookAt = SqliteLimits.CHECKPOINT_WAL_BYTES;
        } else {
            lookAt = walBytes + SqliteLimits.CHECKPOINT_WAL_BYTES;
        }
    }

    private void enforceLimit() throws SQLException {
        walBytes = checkpoint(writer, LOOK).bytes();
        if (walBytes < SqliteLimits.MAX_WAL_BYTES) {
            return;
        }
        Progress progress = waitForReaders((int) Math.min(busyTimeout.toMillis(), Integer.MAX_VALUE));
        if (!progress.isComplete() || progress.busy()) {
            throw new StoreBusy(
                    "The write-ahead log has reached %d bytes because a reader keeps a snapshot open. End that transaction; writing goes on then."
                            .formatted(walBytes),
                    new SQLException("wal_checkpoint(RESTART) was kept from completing"));
        }
        walBytes = 0;
    }

    private Progress waitForReaders(int millis) throws SQLException {
        writer.number("PRAGMA busy_timeout = " + millis);
        try {
            return checkpoint(writer, RESTART);
        } finally {
            writer.number("PRAGMA busy_timeout = " + Math.min(busyTimeout.toMillis(), Integer.MAX_VALUE));
        }
    }

    private void serve() {
        while (true) {
            wanted.acquireUninterruptibly();
            if (closing) {
                return;
            }
            if (!failStop.isPoisoned()) {
                copy();
            }
            copying = false;
        }
    }

    private void copy() {
        try {
            checkpoint(own, COPY);
            copied = true;
        } catch (SQLException e) {
            note(e);
        }
    }

    private void note(SQLException e) {
        HoldfastException meaning = failures.ofStatement(e); // poisons after a failed fsync
        LOG.warn(
                "The write-ahead log could not be copied into the database file; it will be tried again: {}",
                meaning.getMessage(),
                e);
    }

    private static Progress checkpoint(Statements on, String sql) throws SQLException {
        return on.first(row -> new Progress(row.getInt(1) != 0, row.getLong(2), row.getLong(3)), sql)
                .orElseThrow(() -> new SQLException("no answer to " + sql));
    }

    /**
     * Copies the whole log into the database file and empties it.
     *
     * @return whether that was possible; a reader or writer may have stood in the way for the busy timeout
     */
    static boolean copyAll(Statements on) throws SQLException {
        return !checkpoint(on, TRUNCATE).busy();
    }

    /** Ends the thread. */
    void stop() {
        closing = true;
        wanted.release();
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

    /** Ends the thread and closes its connection. */
    @Override
    public void close() throws SQLException {
        stop();
        own.close();
    }
}
