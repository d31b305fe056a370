package dev.holdfast.store.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** Connections for the statements that nodes share, and what their errors mean. Safe for any thread. */
final class SharedConnections implements AutoCloseable {

    private final Pool pool;
    private final SchemaName schema;
    private final SqlFailures failures;

    SharedConnections(Pool pool, SchemaName schema, SqlFailures failures) {
        this.pool = pool;
        this.schema = schema;
        this.failures = failures;
    }

    /** Something done with a connection that is in auto-commit mode. */
    interface Work<T> {
        T with(Connection connection) throws SQLException;
    }

    /**
     * Runs this on a connection of the pool.
     *
     * @throws dev.holdfast.error.HoldfastException.StoreBusy if the database cannot be reached or refuses for the moment
     */
    <T> T run(Work<T> work) {
        try {
            Connection connection = pool.take();
            boolean usable = false;
            try {
                T result = work.with(connection);
                usable = true;
                return result;
            } catch (SQLException e) {
                usable = !SqlFailures.breaks(e);
                throw e;
            } finally {
                if (usable) {
                    pool.giveBack(connection);
                } else {
                    pool.discard(connection);
                }
            }
        } catch (SQLException e) {
            throw failures.ofStatement(e);
        }
    }

    /** A statement with its tables' full names. */
    PreparedStatement prepare(Connection connection, String sql) throws SQLException {
        return connection.prepareStatement(schema.qualify(sql));
    }

    @Override
    public void close() {
        pool.close();
    }
}
