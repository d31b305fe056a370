package dev.holdfast.store.sqlite;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One connection with its prepared statements, each prepared once and kept until the connection closes.
 *
 * <p>The connection stays in JDBC's auto-commit mode for ever; transactions are begun and ended by SQL of our own. That lets a transaction
 * which only appends be one single INSERT, and keeps the driver from adding statements of its own.
 *
 * <p>Every result set is closed before a method returns: a cursor left open would keep its snapshot, and with it the write-ahead log.
 *
 * <p>Not thread-safe: one thread at a time, the committer or one thread of the read pool.
 */
final class Statements implements AutoCloseable {

    private static final byte[] EMPTY = {};

    private final Connection connection;
    private final Map<String, PreparedStatement> prepared = new HashMap<>();
    private long estimatedWalBytes;

    Statements(Connection connection) {
        this.connection = connection;
    }

    /** Makes a value of the row at which the result set stands. */
    interface RowReader<T> {
        T read(ResultSet row) throws SQLException;
    }

    /** Goes on from one row to the next with a value of its own. */
    interface Step {
        long next(ResultSet row, long value) throws SQLException;
    }

    Connection connection() {
        return connection;
    }

    /** Runs a statement that returns nothing. */
    void run(String sql) throws SQLException {
        with(sql, PreparedStatement::executeUpdate);
    }

    /**
     * Runs an INSERT, UPDATE or DELETE.
     *
     * @return the number of rows
     */
    int update(String sql, @Nullable Object... arguments) throws SQLException {
        estimatedWalBytes += 3L * SqliteLimits.WAL_FRAME_BYTES;
        for (Object argument : arguments) {
            if (argument instanceof byte[] blob) {
                estimatedWalBytes += blob.length;
            }
        }
        return with(sql, PreparedStatement::executeUpdate, arguments);
    }

    /** Like {@link #update}, for a statement that must find its row. */
    void updateOne(String sql, @Nullable Object... arguments) throws SQLException {
        int rows = update(sql, arguments);
        if (rows != 1) {
            throw new SQLException("changed " + rows + " rows instead of one: " + sql);
        }
    }

    <T> List<T> list(RowReader<T> reader, String sql, @Nullable Object... arguments) throws SQLException {
        return query(
                sql,
                result -> {
                    List<T> rows = new ArrayList<>();
                    while (result.next()) {
                        rows.add(reader.read(result));
                    }
                    return rows;
                },
                arguments);
    }

    <T> Optional<T> first(RowReader<T> reader, String sql, @Nullable Object... arguments) throws SQLException {
        return query(sql, result -> result.next() ? Optional.of(reader.read(result)) : Optional.empty(), arguments);
    }

    /** Visits the rows one at a time, without holding more than one of them, and returns the last step's value. */
    long fold(long start, String sql, Step step) throws SQLException {
        return query(sql, result -> {
            long value = start;
            while (result.next()) {
                value = step.next(result, value);
            }
            return value;
        });
    }

    /** The integer in the first column of the first row; 0 if there is no row or it is null. */
    long number(String sql, @Nullable Object... arguments) throws SQLException {
        return query(sql, result -> result.next() ? result.getLong(1) : 0L, arguments);
    }

    /** The integers in the first column. */
    List<Long> numbers(String sql, @Nullable Object... arguments) throws SQLException {
        return list(row -> row.getLong(1), sql, arguments);
    }

    /** A blob that is never null in the schema; the driver answers null for an empty one. */
    static byte[] blob(ResultSet row, int column) throws SQLException {
        byte[] bytes = row.getBytes(column);
        return bytes == null ? EMPTY : bytes;
    }

    /** A text that is never null in the schema. */
    static String text(ResultSet row, int column) throws SQLException {
        String text = row.getString(column);
        if (text == null) {
            throw new SQLException("column " + column + " is null");
        }
        return text;
    }

    /**
     * An upper estimate of the bytes written to the write-ahead log since the last call. It only decides when to look at the true size, so
     * that the write path need not ask after each commit.
     */
    long takeEstimatedWalBytes() {
        long bytes = estimatedWalBytes;
        estimatedWalBytes = 0;
        return bytes;
    }

    /** What is done with a statement whose arguments are bound. */
    private interface Use<T> {
        T of(PreparedStatement statement) throws SQLException;
    }

    private <T> T query(String sql, RowReader<T> reader, @Nullable Object... arguments) throws SQLException {
        return with(
                sql,
                statement -> {
                    try (ResultSet result = statement.executeQuery()) {
                        return reader.read(result);
                    }
                },
                arguments);
    }

    /**
     * The driver does not reset a statement that failed, and SQLite then refuses to bind new arguments to it. So a statement that failed is
     * thrown away.
     */
    private <T> T with(String sql, Use<T> use, @Nullable Object... arguments) throws SQLException {
        PreparedStatement statement = prepared.get(sql);
        if (statement == null) {
            statement = connection.prepareStatement(sql);
            prepared.put(sql, statement);
        }
        try {
            for (int i = 0; i < arguments.length; i++) {
                statement.setObject(i + 1, arguments[i]);
            }
            return use.of(statement);
        } catch (SQLException e) {
            prepared.remove(sql);
            discard(statement, e);
            throw e;
        }
    }

    private static void discard(PreparedStatement statement, SQLException cause) {
        try {
            statement.close();
        } catch (SQLException e) { // SQLite repeats the statement's last error when it is closed
            if (e.getErrorCode() != cause.getErrorCode()) {
                cause.addSuppressed(e);
            }
        }
    }

    @Override
    public void close() throws SQLException {
        try {
            for (PreparedStatement statement : prepared.values()) {
                statement.close();
            }
        } finally {
            connection.close();
        }
    }
}
