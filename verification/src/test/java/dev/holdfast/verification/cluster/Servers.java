package dev.holdfast.verification.cluster;

import static dev.holdfast.verification.rig.Patience.await;

import dev.holdfast.Holdfast;
import dev.holdfast.store.Placement;
import dev.holdfast.store.postgres.CuttingProxy;
import dev.holdfast.store.postgres.PostgresServer;
import dev.holdfast.store.postgres.PostgresSettings;
import dev.holdfast.verification.rig.LastingPort;
import dev.holdfast.verification.rig.ServerProcess;
import java.net.URI;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Three server processes on one database, each at an address that it keeps. One thread starts and ends them; addresses are for any. */
final class Servers implements AutoCloseable {

    static final int COUNT = 3;
    static final int SHARDS = 8;

    /** What a node holds at most when all are there. */
    private static final int SHARE = (SHARDS + COUNT - 1) / COUNT;

    private static final String ROLE = "postgres";
    private static final AtomicInteger SCHEMAS = new AtomicInteger();

    private final Path scratch;
    private final String url;
    private final IntFunction<Way> ways;
    private final String schema = "servers_" + SCHEMAS.incrementAndGet();
    private final List<String> options;
    private final int[] ports =
            IntStream.range(0, COUNT).map(i -> LastingPort.find()).toArray();
    private final @Nullable ServerProcess[] running = new ServerProcess[COUNT];
    private final List<String> logs = new ArrayList<>();

    /**
     * What one server has of its own.
     *
     * @param url of the database
     * @param launcher a command that starts it; may be empty
     */
    record Way(String url, List<String> launcher) {
        static Way to(String url) {
            return new Way(url, List.of());
        }

        /** Through a proxy that can read the statements. */
        static Way through(CuttingProxy proxy) {
            return to(PostgresServer.jdbcUrl(proxy.port()) + "?prepareThreshold=0");
        }
    }

    /**
     * Starts all on a schema of the tests' shared database, and waits until each holds its share of the shards.
     *
     * @param options of {@code serve} that all have
     */
    Servers(Path scratch, List<String> options) {
        this(scratch, options, PostgresServer.shared().jdbcUrl());
    }

    /** As above, on another database. */
    Servers(Path scratch, List<String> options, String url) {
        this(scratch, options, url, server -> Way.to(url));
    }

    /**
     * As above, each in its own way.
     *
     * @param url of the test's own looks
     */
    Servers(Path scratch, List<String> options, String url, IntFunction<Way> ways) {
        this.url = url;
        this.ways = ways;
        this.scratch = scratch;
        this.options = options;
        for (int server = 0; server < COUNT; server++) {
            start(server);
        }
        awaitShares();
    }

    /** One name for each shard, in their order. */
    static List<String> namesOfAllShards(String prefix) {
        Placement placement = new Placement(SHARDS);
        List<String> names = new ArrayList<>();
        for (int shard = 0; shard < SHARDS; shard++) {
            int wanted = shard;
            names.add(IntStream.iterate(0, i -> i + 1)
                    .mapToObj(i -> prefix + i)
                    .filter(name -> placement.of(Holdfast.DEFAULT_TENANT, name) == wanted)
                    .findFirst()
                    .orElseThrow());
        }
        return names;
    }

    void start(int server) {
        List<String> all = new ArrayList<>(List.of(
                "--database",
                ways.apply(server).url(),
                "--database-user",
                ROLE,
                "--database-schema",
                schema,
                "--shards",
                Integer.toString(SHARDS),
                "--lease",
                "2s",
                "--node-name",
                name(server)));
        all.addAll(options);
        running[server] = ServerProcess.start(
                scratch,
                ways.apply(server).launcher(),
                scratch.resolve("data"),
                ports[server],
                all.toArray(String[]::new));
    }

    private static String name(int server) {
        return "server-" + server;
    }

    private ServerProcess process(int server) {
        ServerProcess process = running[server];
        if (process == null) {
            throw new IllegalStateException(name(server) + " does not run");
        }
        return process;
    }

    URI uri(int server) {
        return URI.create("http://127.0.0.1:" + ports[server]);
    }

    int port(int server) {
        return ports[server];
    }

    /** SIGKILL. */
    void kill(int server) {
        process(server).kill();
        gone(server);
    }

    /** SIGTERM. Returns the exit code. */
    int terminate(int server) {
        int code = process(server).terminate();
        gone(server);
        return code;
    }

    private void gone(int server) {
        logs.add(name(server) + " before it ended:\n" + process(server).log());
        process(server).close();
        running[server] = null;
    }

    void freeze(int server) {
        process(server).freeze();
    }

    void thaw(int server) {
        process(server).signal("CONT");
    }

    /** Waits until every shard is held and nobody holds more than its share. */
    void awaitShares() {
        await().until(() -> {
            long held = 0;
            for (int server = 0; server < COUNT; server++) {
                long shards = shardsOf(server);
                if (shards == 0 || shards > SHARE) {
                    return false;
                }
                held += shards;
            }
            return held == SHARDS;
        });
    }

    /** How many shards a server holds whose lease is good. */
    long shardsOf(int server) throws SQLException {
        return number("""
                SELECT count(*) FROM %1$s.holdfast_shards s JOIN %1$s.holdfast_nodes n ON n.id = s.node
                WHERE n.name = '%2$s' AND n.expires_at > clock_timestamp()""".formatted(schema, name(server)));
    }

    /** How many shards are held by a server that is alive. */
    long heldShards() throws SQLException {
        return number("""
                SELECT count(*) FROM %1$s.holdfast_shards s JOIN %1$s.holdfast_nodes n ON n.id = s.node
                WHERE n.expires_at > clock_timestamp()""".formatted(schema));
    }

    /** The server that holds a shard. */
    int holder(int shard) throws SQLException {
        return (int) number("""
                SELECT substr(n.name, 8)::int FROM %1$s.holdfast_shards s JOIN %1$s.holdfast_nodes n ON n.id = s.node
                WHERE s.shard = %2$d""".formatted(schema, shard));
    }

    long epoch(int shard) throws SQLException {
        return number("SELECT epoch FROM %s.holdfast_shards WHERE shard = %d".formatted(schema, shard));
    }

    /** What all of them logged. */
    String logs() {
        List<String> all = new ArrayList<>(logs);
        for (int server = 0; server < COUNT; server++) {
            ServerProcess process = running[server];
            if (process != null) {
                all.add(name(server) + ":\n" + process.log());
            }
        }
        return String.join("\n", all);
    }

    /** What a node of the test's own opens. */
    PostgresSettings settings() {
        return PostgresSettings.of(url)
                .withUser(ROLE, "")
                .withSchema(schema)
                .withShards(SHARDS)
                .withPools(SHARE, SHARE);
    }

    private long number(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url, ROLE, "");
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return rows.next() ? rows.getLong(1) : 0;
        }
    }

    @Override
    public void close() {
        for (ServerProcess process : running) {
            if (process != null) {
                process.close();
            }
        }
    }
}
