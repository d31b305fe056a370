package dev.holdfast.store.sqlite;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.StoreBusy;
import java.sql.SQLException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies the write-ahead log into the database file and lets it start over, so that it stays bounded.
 *
 * <p>This is done by the committer between two transactions, when the callers of the last one are released already; SQLite's own automatic
 * checkpoint would run inside a commit. A thread of its own for it was measured and was worse: while it copied, each commit's fsync waited
 * for its writes, and at the end the log had grown on, so that the committer had to copy the rest in any case (the log can start over only
 * when all of it is copied).
 *
 * <p>The other condition is that no reader stands in the log. The store's own reads are short; from {@code restartBytes} on the committer
 * waits for them, at most {@link SqliteLimits#MAX_RESTART_WAIT_MILLIS}, and new readers read the database file by then. A reader of the
 * application that keeps its snapshot stops all this: the log grows, attempts become rarer, and from {@code maxBytes} on writes are refused
 * with {@code StoreBusy} until it ends.
 *
 * <p>A failed fsync poisons the store. Any other failure of a copy loses nothing, as the log is still there, and is tried again later.
 *
 * <p>Belongs to the committer's thread.
 */
final class Checkpointer {

    private static final Logger LOG = LoggerFactory.getLogger(Checkpointer.class);

    private static final String LOOK = "PRAGMA wal_checkpoint(NOOP)";
    private static final String COPY = "PRAGMA wal_checkpoint(PASSIVE)";
    private static final String RESTART = "PRAGMA wal_checkpoint(RESTART)";
    private static final String TRUNCATE = "PRAGMA wal_checkpoint(TRUNCATE)";
    private static final String SET_BUSY_TIMEOUT = "PRAGMA busy_timeout = ";

    private final Statements writer;
    private final SqlFailures failures;
    private final Bounds bounds;
    private final int busyMillis;

    /** Bytes in the log; more than there are while it is not looked at. */
    private long walBytes;
    /** When to look next. */
    private long lookAt;

    Checkpointer(Statements writer, SqlFailures failures, Bounds bounds, Duration busyTimeout) {
        this.writer = writer;
        this.failures = failures;
        this.bounds = bounds;
        this.busyMillis = Connections.busyMillis(busyTimeout);
        this.lookAt = bounds.copyBytes();
    }

    /**
     * The sizes of the write-ahead log at which something is done.
     *
     * @param copyBytes from here on it is copied
     * @param restartBytes from here on readers are waited for
     * @param maxBytes from here on writes are refused
     */
    record Bounds(long copyBytes, long restartBytes, long maxBytes) {
        static Bounds defaults() {
            return new Bounds(
                    SqliteLimits.CHECKPOINT_WAL_BYTES, SqliteLimits.RESTART_WAL_BYTES, SqliteLimits.MAX_WAL_BYTES);
        }
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

        /** Whether the next write may start the log over, if no reader stands in it. */
        boolean isComplete() {
            return !busy && frames == copied;
        }
    }

    /**
     * Called before each transaction; nearly always one comparison.
     *
     * @throws StoreBusy if a long reader has made the log reach its limit
     */
    void beforeTransaction() {
        walBytes += writer.takeEstimatedWalBytes();
        if (walBytes < lookAt) {
            return;
        }
        try {
            walBytes = checkpoint(writer, LOOK).bytes();
            lookAt = bounds.copyBytes();
            if (walBytes >= bounds.maxBytes()) {
                enforceLimit();
            } else if (walBytes >= bounds.copyBytes()) {
                copy();
            }
        } catch (SQLException e) {
            lookAt = walBytes + bounds.copyBytes();
            note(e);
        }
    }

    private void copy() throws SQLException {
        boolean wait = walBytes >= bounds.restartBytes();
        Progress progress =
                wait ? waitForReaders(RESTART, SqliteLimits.MAX_RESTART_WAIT_MILLIS) : checkpoint(writer, COPY);
        if (progress.isComplete()) {
            walBytes = 0;
        } else {
            lookAt = Math.min(bounds.maxBytes(), walBytes + Math.max(bounds.copyBytes(), walBytes / 2));
        }
    }

    private void enforceLimit() throws SQLException {
        if (!waitForReaders(RESTART, busyMillis).isComplete()) {
            lookAt = bounds.maxBytes();
            throw new StoreBusy(
                    "The write-ahead log has reached %d bytes because a reader keeps a snapshot open. End that transaction; writing goes on then."
                            .formatted(walBytes),
                    new SQLException("wal_checkpoint(RESTART) was kept from completing"));
        }
        walBytes = 0;
    }

    /** Makes the log's file as small as it can be now, because the room is needed. */
    void shrink() throws SQLException {
        try {
            if (waitForReaders(TRUNCATE, SqliteLimits.MAX_RESTART_WAIT_MILLIS).isComplete()) {
                walBytes = 0;
            }
        } catch (SQLException e) {
            if (!SqlFailures.isFull(e)) {
                throw e;
            }
        }
    }

    private Progress waitForReaders(String how, int millis) throws SQLException {
        writer.number(SET_BUSY_TIMEOUT + millis);
        try {
            return checkpoint(writer, how);
        } finally {
            writer.number(SET_BUSY_TIMEOUT + busyMillis);
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
}
