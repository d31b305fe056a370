package dev.holdfast.store.postgres;

import java.sql.SQLException;

/** How far a shard's log was released, and how far it once went: a row of its own, for the log's own rows may all be gone. */
final class LogTable {

    private static final String SELECT = "SELECT released, known FROM @log WHERE shard = ?";
    private static final String KNOWN =
            Pipeline.mustChange("UPDATE @log SET known = greatest(known, ?) WHERE shard = ?");
    private static final String RELEASE = """
            UPDATE @log SET released = greatest(released, ?), known = greatest(known, ?) WHERE shard = ? RETURNING released""";

    private final Pipeline pipeline;
    private final int shard;

    LogTable(Pipeline pipeline, int shard) {
        this.pipeline = pipeline;
        this.shard = shard;
    }

    /**
     * @param released the highest position that nobody needs any more
     * @param known a position there was when this was written
     */
    record Floor(long released, long known) {}

    Floor floor() throws SQLException {
        return pipeline.first(row -> new Floor(row.getLong(1), row.getLong(2)), SELECT, shard)
                .orElseThrow(() -> new SQLException("shard " + shard + " has no row in the table of logs"));
    }

    /** Notes how far the log goes, with a transaction that deletes rows of it: positions are never given twice. */
    void known(long last) throws SQLException {
        pipeline.later(KNOWN, last, shard);
    }

    /** Returns the highest position released so far. */
    long release(long position, long last) throws SQLException {
        return pipeline.number(RELEASE, position, last, shard);
    }
}
