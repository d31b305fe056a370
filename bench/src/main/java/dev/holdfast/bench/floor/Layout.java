package dev.holdfast.bench.floor;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/** How a floor stores one group commit. Used by the floor's committer alone. */
interface Layout extends AutoCloseable {

    /**
     * Writes all of the batch in one transaction, durable when it returns.
     *
     * @return the number of INSERTs it took
     */
    int commit(List<Floor.Ticket> batch) throws SQLException;

    @Override
    void close() throws SQLException;

    /** Runs a statement without result. */
    static void run(PreparedStatement statement) throws SQLException {
        statement.executeUpdate();
    }

    static void create(Connection connection, String ddl) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(ddl)) {
            statement.executeUpdate();
        }
    }
}
