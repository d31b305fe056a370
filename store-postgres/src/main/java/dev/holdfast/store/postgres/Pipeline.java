package dev.holdfast.store.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGStatement;

/**
 * One connection in one transaction. A write is not sent when it is made: it waits for the next read, or for the end of the transaction, and
 * goes with it in one round trip.
 *
 * <p>The driver sends statements that are joined by semicolons one after the other without waiting, each with its own parameters, and the
 * server skips all that follow a failed one. So writes of many tables travel together, as the driver's batches, which are of one statement
 * each, could not.
 *
 * <p>The connection stays in JDBC's auto-commit mode; transactions are begun and ended by SQL of our own, which waits and travels like any
 * other statement.
 *
 * <p>Not thread-safe: used by one thread at a time.
 */
final class Pipeline {

    private static final byte[] EMPTY = {};

    private final Connection connection;
    private final SchemaName schema;
    private final List<Statement> pending = new ArrayList<>();
    private long pendingBytes;
    private boolean sent;

    Pipeline(Connection connection, SchemaName schema) {
        this.connection = connection;
        this.schema = schema;
    }

    /** Makes a value of the row at which the result set stands. */
    interface RowReader<T> {
        T read(ResultSet row) throws SQLException;
    }

    /** What must be true of a statement's outcome. */
    private interface Outcome {
        void check(@Nullable ResultSet rows, int count) throws SQLException;
    }

    private record Statement(String sql, @Nullable Object[] arguments, Outcome outcome) {}

    Connection connection() {
        return connection;
    }

    /** Rolls back, if the server has heard of the transaction; what waits is never sent. */
    void rollback() throws SQLException {
        pending.clear();
        pendingBytes = 0;
        if (sent) {
            int unused = update("ROLLBACK");
        }
    }

    /** Sends this with what follows it; it may change any number of rows. */
    void later(String sql, @Nullable Object... arguments) throws SQLException {
        enqueue(new Statement(sql, arguments, (rows, count) -> {}));
    }

    /**
     * A statement that fails unless it changes a row. The server has to find that out, not this side: the COMMIT may travel with it.
     *
     * @param update an UPDATE
     */
    static String mustChange(String update) {
        return "WITH changed AS (" + update + " RETURNING 1) SELECT 1 / count(*) FROM changed";
    }

    /** Sends this query with what follows it, and hands its rows to the reader then. */
    void laterQuery(RowReader<?> reader, String sql, @Nullable Object... arguments) throws SQLException {
        enqueue(new Statement(sql, arguments, (rows, count) -> reader.read(rowsOf(rows, sql))));
    }

    private void enqueue(Statement statement) throws SQLException {
        long bytes = 0;
        for (Object argument : statement.arguments()) {
            bytes += argument instanceof byte[] blob ? blob.length : 0;
        }
        if (pending.size() >= PostgresLimits.MAX_PENDING_WRITES
                || (pendingBytes > 0 && pendingBytes + bytes > PostgresLimits.MAX_PENDING_BYTES)) {
            flush();
        }
        pending.add(statement);
        pendingBytes += bytes;
    }

    /** Sends what waits. */
    void flush() throws SQLException {
        if (!pending.isEmpty()) {
            send();
        }
    }

    /**
     * Sends what waits and this INSERT, UPDATE or DELETE.
     *
     * @return the number of rows
     */
    int update(String sql, @Nullable Object... arguments) throws SQLException {
        int[] changed = new int[1];
        pending.add(new Statement(sql, arguments, (rows, count) -> changed[0] = count));
        send();
        return changed[0];
    }

    <T> List<T> list(RowReader<T> reader, String sql, @Nullable Object... arguments) throws SQLException {
        List<T> list = new ArrayList<>();
        query(
                rows -> {
                    while (rows.next()) {
                        list.add(reader.read(rows));
                    }
                },
                sql,
                arguments);
        return list;
    }

    <T> Optional<T> first(RowReader<T> reader, String sql, @Nullable Object... arguments) throws SQLException {
        List<T> found = new ArrayList<>(1);
        query(
                rows -> {
                    if (rows.next()) {
                        found.add(reader.read(rows));
                    }
                },
                sql,
                arguments);
        return found.isEmpty() ? Optional.empty() : Optional.of(found.getFirst());
    }

    /** The integer in the first column of the first row; 0 if there is no row or it is null. */
    long number(String sql, @Nullable Object... arguments) throws SQLException {
        return first(row -> row.getLong(1), sql, arguments).orElse(0L);
    }

    /** The integers in the first column. */
    List<Long> numbers(String sql, @Nullable Object... arguments) throws SQLException {
        return list(row -> row.getLong(1), sql, arguments);
    }

    /**
     * Visits the rows of a query without holding more than {@code fetchSize} of them. The transaction must be one of JDBC, not begun by SQL: the
     * driver reads in steps only then.
     */
    void scan(int fetchSize, Visit visit, String sql, @Nullable Object... arguments) throws SQLException {
        flush();
        try (PreparedStatement prepared = connection.prepareStatement(schema.qualify(sql))) {
            prepared.setFetchSize(fetchSize);
            int at = 1;
            for (Object argument : arguments) {
                bind(prepared, at++, argument);
            }
            try (ResultSet rows = prepared.executeQuery()) {
                while (rows.next()) {
                    visit.row(rows);
                }
            }
        }
    }

    /** Looks at the row at which the result set stands. */
    interface Visit {
        void row(ResultSet row) throws SQLException;
    }

    private interface Rows {
        void read(ResultSet rows) throws SQLException;
    }

    private void query(Rows reader, String sql, @Nullable Object... arguments) throws SQLException {
        pending.add(new Statement(sql, arguments, (rows, count) -> reader.read(rowsOf(rows, sql))));
        send();
    }

    private static ResultSet rowsOf(@Nullable ResultSet rows, String sql) throws SQLException {
        if (rows == null) {
            throw new SQLException("no rows were returned: " + sql);
        }
        return rows;
    }

    private void send() throws SQLException {
        List<Statement> statements = List.copyOf(pending);
        pending.clear();
        pendingBytes = 0;
        sent = true;
        try (PreparedStatement prepared = connection.prepareStatement(text(statements))) {
            if (statements.size() > PostgresLimits.MAX_PREPARED_STATEMENTS) {
                prepared.unwrap(PGStatement.class).setPrepareThreshold(0);
            }
            int at = 1;
            for (Statement statement : statements) {
                for (Object argument : statement.arguments()) {
                    bind(prepared, at++, argument);
                }
            }
            boolean rows = prepared.execute();
            for (int i = 0; i < statements.size(); i++) {
                if (i > 0) {
                    rows = prepared.getMoreResults();
                }
                take(statements.get(i), prepared, rows);
            }
        }
    }

    private static void take(Statement statement, PreparedStatement prepared, boolean hasRows) throws SQLException {
        if (!hasRows) {
            statement.outcome().check(null, prepared.getUpdateCount());
            return;
        }
        try (ResultSet rows = prepared.getResultSet()) {
            statement.outcome().check(rows, -1);
        }
    }

    private String text(List<Statement> statements) {
        if (statements.size() == 1) {
            return schema.qualify(statements.getFirst().sql());
        }
        StringJoiner text = new StringJoiner(";\n");
        for (Statement statement : statements) {
            text.add(schema.qualify(statement.sql()));
        }
        return text.toString();
    }

    private static void bind(PreparedStatement statement, int at, @Nullable Object argument) throws SQLException {
        switch (argument) {
            case null -> statement.setNull(at, Types.NULL);
            case Long number -> statement.setLong(at, number);
            case Integer number -> statement.setInt(at, number);
            case Boolean truth -> statement.setBoolean(at, truth);
            case byte[] bytes -> statement.setBytes(at, bytes);
            // The server's text cannot hold U+0000, which a reason or a detail from outside may have.
            case String text -> statement.setString(at, text.indexOf('\0') < 0 ? text : text.replace('\0', '\uFFFD'));
            default -> statement.setObject(at, argument);
        }
    }

    /** A text that is never null in the schema. */
    static String text(ResultSet row, int column) throws SQLException {
        String text = row.getString(column);
        if (text == null) {
            throw new SQLException("column " + column + " is null");
        }
        return text;
    }

    /** A blob that is never null in the schema. */
    static byte[] blob(ResultSet row, int column) throws SQLException {
        byte[] bytes = row.getBytes(column);
        return bytes == null ? EMPTY : bytes;
    }
}
