package dev.holdfast.bench.floor;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * The store's checkpoint policy, for a floor: between two transactions, and never inside one, the committer looks at the size of the
 * write-ahead log when it may have reached 4 MiB, and copies all of it if it has. The estimate in between and both statements are the
 * store's as well. A floor has no readers, so the rest of the store's policy never comes into play.
 */
final class FloorCheckpoints implements AutoCloseable {

    private static final long CHECKPOINT_WAL_BYTES = 4L << 20;
    private static final int FRAME_BYTES = 4096 + 24;

    /** What the store adds to its estimate for each statement, beside the payload. */
    private static final long STATEMENT_BYTES = 3L * FRAME_BYTES;

    private final PreparedStatement look;
    private final PreparedStatement copy;
    private long walBytes;

    FloorCheckpoints(Connection writer) throws SQLException {
        this.look = writer.prepareStatement("PRAGMA wal_checkpoint(NOOP)");
        this.copy = writer.prepareStatement("PRAGMA wal_checkpoint(PASSIVE)");
    }

    /**
     * Called by the committer before each transaction.
     *
     * @param statements INSERTs of the transaction before
     * @param payloadBytes bytes they wrote
     */
    void beforeTransaction(int statements, long payloadBytes) throws SQLException {
        walBytes += payloadBytes + statements * STATEMENT_BYTES;
        if (walBytes < CHECKPOINT_WAL_BYTES) {
            return;
        }
        walBytes = frames(look) * FRAME_BYTES;
        if (walBytes >= CHECKPOINT_WAL_BYTES) {
            long frames = frames(copy);
            if (frames * FRAME_BYTES < CHECKPOINT_WAL_BYTES) {
                throw new IllegalStateException("the log shrank to " + frames + " frames while it was copied");
            }
            walBytes = 0;
        }
    }

    private static long frames(PreparedStatement checkpoint) throws SQLException {
        try (ResultSet row = checkpoint.executeQuery()) {
            return row.next() ? row.getLong(2) : 0;
        }
    }

    @Override
    public void close() throws SQLException {
        look.close();
        copy.close();
    }
}
