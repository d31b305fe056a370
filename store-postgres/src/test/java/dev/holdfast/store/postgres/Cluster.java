package dev.holdfast.store.postgres;

import dev.holdfast.cluster.Coordination.Letter;
import dev.holdfast.store.postgres.CoordinationSettings.Hints;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** A schema of its own with a few shards, for processes that share it. Time passes by shifting what is stored, as the clock is the database's. */
final class Cluster implements AutoCloseable {

    static final int SHARDS = 4;

    static final CoordinationSettings POLLING = CoordinationSettings.DEFAULTS.withHints(Hints.OFF);

    private final PostgresServer server;
    private final PostgresSettings settings;
    private final PostgresDatabase database;
    private final List<PostgresCoordination> coordinations = new ArrayList<>();

    Cluster() {
        this(PostgresServer.shared());
    }

    Cluster(PostgresServer server) {
        this.server = server;
        this.settings = server.settings().withShards(SHARDS);
        this.database = PostgresDatabase.open(settings);
    }

    PostgresSettings settings() {
        return settings;
    }

    PostgresDatabase database() {
        return database;
    }

    /** What a process of the cluster has. */
    PostgresCoordination process(CoordinationSettings settings) {
        PostgresCoordination coordination = database.coordination(settings);
        coordinations.add(coordination);
        return coordination;
    }

    /** The node missed its beats, and its deadline passed so long ago. */
    void expire(long node, long millis) {
        update(
                "UPDATE @nodes SET expires_at = clock_timestamp() - ? * interval '1 millisecond' WHERE id = ?",
                millis,
                node);
    }

    Connection connect() throws SQLException {
        return server.connect();
    }

    String named(String sql) {
        return new SchemaName(settings.schema()).qualify(sql);
    }

    int update(String sql, Object... arguments) {
        try (Connection connection = connect();
                PreparedStatement statement = connection.prepareStatement(named(sql))) {
            bind(statement, arguments);
            return statement.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    long number(String sql, Object... arguments) {
        try (Connection connection = connect();
                PreparedStatement statement = connection.prepareStatement(named(sql))) {
            bind(statement, arguments);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? row.getLong(1) : 0;
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Cuts the connections whose last statement contains this, and returns how many there were. */
    long cut(String statement) {
        return number(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE query LIKE ? AND pid <> pg_backend_pid()",
                "%" + statement + "%");
    }

    long connectionsAt(String statement) {
        return number(
                "SELECT count(*) FROM pg_stat_activity WHERE query LIKE ? AND pid <> pg_backend_pid()",
                "%" + statement + "%");
    }

    String channel() {
        return "holdfast_" + settings.schema();
    }

    static Letter letter(long to, long id, long from, String body) {
        return new Letter(to, id, from, body.getBytes(StandardCharsets.UTF_8));
    }

    static String text(Letter letter) {
        return new String(letter.body(), StandardCharsets.UTF_8);
    }

    private static void bind(PreparedStatement statement, Object... arguments) throws SQLException {
        for (int i = 0; i < arguments.length; i++) {
            statement.setObject(i + 1, arguments[i]);
        }
    }

    @Override
    public void close() {
        coordinations.forEach(PostgresCoordination::close);
        database.close();
        update("DROP SCHEMA \"" + settings.schema() + "\" CASCADE");
    }
}
