package dev.holdfast.bench.floor;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * The store's checkpoint policy, for a floor: from 4 MiB on the committer copies the write-ahead log between two transactions, so that the
 * next write starts the log over.
 */
final class FloorCheckpoints {

    private static final long CHECKPOINT_WAL_BYTES = 4L << 20;
    private static final int FRAME_BYTES = 4096 + 24;

    private final Connection writer;
    private long walBytes; // the committer's

    FloorCheckpoints(Connection writer) {
        this.writer = writer;
    }

    /** Called by the committer before each transaction, with the payload of the one before. */
    void beforeTransaction(long payloadBytesBefore) throws SQLException {
        walBytes += payloadBytesBefore + 3L * FRAME_BYTES;
        if (walBytes >= CHECKPOINT_WAL_BYTES) {
            walBytes = 0;
            try (Statement statement = writer.createStatement()) {
                statement.execute("PRAGMA wal_checkpoint(PASSIVE)");
            }
        }
    }
}
