package dev.holdfast.bench.floor;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.Semaphore;

/**
 * The store's checkpoint policy, for a floor: from 4 MiB on a thread with a connection of its own copies the write-ahead log, and when it
 * is through the committer copies the rest between two transactions, so that the next write starts the log over.
 */
final class FloorCheckpoints implements AutoCloseable {

    private static final long CHECKPOINT_WAL_BYTES = 4L << 20;
    private static final int FRAME_BYTES = 4096 + 24;

    private final Connection writer;
    private final Connection own;
    private final Thread thread;
    private final Semaphore wanted = new Semaphore(0);
    private volatile boolean copying;
    private volatile boolean copied;
    private volatile boolean closing;
    private long walBytes; // the committer's

    FloorCheckpoints(Connection writer, Connection own) {
        this.writer = writer;
        this.own = own;
        this.thread = Thread.ofPlatform().name("floor-checkpoint").daemon(true).start(this::serve);
    }

    /** Called by the committer before each transaction, with the payload of the one before. */
    void beforeTransaction(long payloadBytesBefore) throws SQLException {
        walBytes += payloadBytesBefore + 3L * FRAME_BYTES;
        if (copied) {
            copied = false;
            passive(writer);
            walBytes = 0;
        } else if (!copying && walBytes >= CHECKPOINT_WAL_BYTES) {
            copying = true;
            wanted.release();
        }
    }

    private void serve() {
        while (true) {
            wanted.acquireUninterruptibly();
            if (closing) {
                return;
            }
            try {
                passive(own);
            } catch (SQLException e) {
                throw new IllegalStateException("a checkpoint of the floor failed", e);
            }
            copied = true;
            copying = false;
        }
    }

    private static void passive(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA wal_checkpoint(PASSIVE)");
        }
    }

    @Override
    public void close() throws SQLException {
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
        own.close();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
