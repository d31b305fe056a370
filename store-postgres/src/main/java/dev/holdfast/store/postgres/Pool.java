package dev.holdfast.store.postgres;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where connections come from and go back to: a pool of the store's own, or the application's source.
 *
 * <p>A connection is in auto-commit mode while it is out, and goes back without a transaction; nothing of the session is ever changed. Safe for
 * any thread.
 */
final class Pool implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Pool.class);

    private final DataSource source;
    private final int networkTimeoutMillis;
    private final Consumer<Connection> discard;
    private final Runnable close;

    private Pool(DataSource source, int networkTimeoutMillis, Consumer<Connection> discard, Runnable close) {
        this.source = source;
        this.networkTimeoutMillis = networkTimeoutMillis;
        this.discard = discard;
        this.close = close;
    }

    /** A pool of the store's own; closed with this. Its driver has its network timeout already. */
    static Pool owned(HikariDataSource pool) {
        return new Pool(pool, 0, pool::evictConnection, pool::close);
    }

    /**
     * The application's.
     *
     * @param networkTimeoutMillis without it a network that swallows packets would hold the writer for ever
     */
    static Pool foreign(DataSource source, int networkTimeoutMillis) {
        return new Pool(source, networkTimeoutMillis, Pool::abort, () -> {});
    }

    Connection take() throws SQLException {
        Connection connection = source.getConnection();
        try {
            if (!connection.getAutoCommit()) {
                connection.setAutoCommit(true);
            }
            if (networkTimeoutMillis > 0) {
                connection.setNetworkTimeout(Runnable::run, networkTimeoutMillis);
            }
            return connection;
        } catch (SQLException e) {
            discard(connection);
            throw e;
        }
    }

    void giveBack(Connection connection) {
        close(connection);
    }

    private static void close(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            LOG.debug("A connection did not close", e);
        }
    }

    /** Closes a connection for good: it is broken, or what it would still do is not known. */
    void discard(Connection connection) {
        discard.accept(connection);
    }

    private static void abort(Connection connection) {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException e) {
            LOG.debug("A connection could not be aborted", e);
        }
        close(connection);
    }

    @Override
    public void close() {
        close.run();
    }
}
