package dev.holdfast.bench.postgres;

import dev.holdfast.bench.command.Scratch;
import dev.holdfast.store.postgres.PostgresSettings;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The server that is measured: one that is started for it, or one that runs already. The started one has PostgreSQL's own settings but for those
 * that keep a checkpoint out of the figures, and syncs what it commits.
 */
final class Database implements AutoCloseable {

    private static final Duration MAX_START = Duration.ofMinutes(2);

    /** Where the started server writes its log, in the folder of its data. */
    private static final String LOG_FOLDER = "log";

    private static final String LOG_FILE = "server.log";

    private static final List<String> SHOWN_SETTINGS = List.of(
            "server_version",
            "fsync",
            "synchronous_commit",
            "full_page_writes",
            "wal_compression",
            "shared_buffers",
            "max_connections",
            "max_wal_size",
            "autovacuum",
            "autovacuum_naptime");

    private final String url;
    private final @Nullable EmbeddedPostgres server;
    private final @Nullable Scratch scratch;
    private int schemas;

    private Database(String url, @Nullable EmbeddedPostgres server, @Nullable Scratch scratch) {
        this.url = url;
        this.server = server;
        this.scratch = scratch;
    }

    static Database open(Options options) throws IOException {
        String database = options.database();
        return database == null ? start(options.run().folder()) : new Database(database, null, null);
    }

    /** One more server of the benchmark's own, on the same disk. */
    static Database another(Options options) throws IOException {
        return start(options.run().folder());
    }

    private static Database start(Path folder) throws IOException {
        Scratch scratch = Scratch.in(folder);
        EmbeddedPostgres server = EmbeddedPostgres.builder()
                .setDataDirectory(scratch.path().resolve("data"))
                .setPGStartupWait(MAX_START)
                .setServerConfig("fsync", "on")
                .setServerConfig("full_page_writes", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("max_wal_size", "8GB")
                .setServerConfig("checkpoint_timeout", "30min")
                .setServerConfig("logging_collector", "on")
                .setServerConfig("log_directory", LOG_FOLDER)
                .setServerConfig("log_filename", LOG_FILE)
                .setServerConfig("log_rotation_size", "0")
                .setServerConfig("log_rotation_age", "0")
                .setServerConfig("log_autovacuum_min_duration", "0")
                .start();
        return new Database(
                "jdbc:postgresql://127.0.0.1:" + server.getPort() + "/postgres?user=postgres", server, scratch);
    }

    /** The log of a server that was started here, or null. */
    @Nullable
    Path log() {
        return scratch == null
                ? null
                : scratch.path().resolve("data").resolve(LOG_FOLDER).resolve(LOG_FILE);
    }

    String url() {
        return url;
    }

    /** Settings with a schema that nothing used before. */
    PostgresSettings settings(int shards) {
        schemas++;
        return settings("holdfast_bench_" + ProcessHandle.current().pid() + "_" + schemas, shards);
    }

    PostgresSettings settings(String schema, int shards) {
        return settings(url, schema, shards);
    }

    static PostgresSettings settings(String url, String schema, int shards) {
        return PostgresSettings.of(url).withSchema(schema).withShards(shards);
    }

    void drop(PostgresSettings settings) throws SQLException {
        run("DROP SCHEMA IF EXISTS " + settings.schema() + " CASCADE");
    }

    Connection connect() throws SQLException {
        return DriverManager.getConnection(url);
    }

    void run(String... statements) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                boolean unused = statement.execute(sql);
            }
        }
    }

    /** The number in the first column of the first row, or 0. */
    long number(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return rows.next() ? rows.getLong(1) : 0;
        }
    }

    /** How many bytes of WAL the server has written so far. */
    long walBytes() throws SQLException {
        return number("SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint");
    }

    /** How many connections are left for a role without privileges. */
    int freeConnections() throws SQLException {
        return Math.toIntExact(number("SELECT current_setting('max_connections')::int"
                + " - current_setting('superuser_reserved_connections')::int"
                + " - (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')"));
    }

    /** What of the server's settings bears on the figures. */
    Map<String, Object> describe() throws SQLException {
        Map<String, Object> described = new LinkedHashMap<>();
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            for (String name : SHOWN_SETTINGS) {
                try (ResultSet rows = statement.executeQuery("SHOW " + name)) {
                    described.put(name, rows.next() ? rows.getString(1) : "");
                }
            }
        }
        return described;
    }

    @Override
    public void close() throws IOException {
        if (server != null) {
            server.close();
        }
        if (scratch != null) {
            scratch.close();
        }
    }
}
