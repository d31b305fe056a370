package dev.holdfast.store.postgres;

import java.sql.SQLException;

/**
 * Tells whether the server is the one it was. A server that crashes gives the numbers of transactions of which nothing was on its disk to others,
 * and so does a standby that takes its place; a table that is not logged is empty then, so its mark is another one.
 */
final class IncarnationTable {

    private static final String SET = "INSERT INTO @incarnation (id, mark) VALUES (1, ?) ON CONFLICT (id) DO NOTHING";
    private static final String GET = "SELECT mark FROM @incarnation WHERE id = 1";

    private final Pipeline pipeline;

    IncarnationTable(Pipeline pipeline) {
        this.pipeline = pipeline;
    }

    /**
     * The server's mark.
     *
     * @param fresh becomes the mark if there is none; one that was never used
     */
    long mark(long fresh) throws SQLException {
        pipeline.later(SET, fresh);
        return pipeline.number(GET);
    }
}
