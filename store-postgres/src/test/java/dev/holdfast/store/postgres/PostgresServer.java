package dev.holdfast.store.postgres;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * A PostgreSQL server of the tests' own, which can be crashed and started again on the same data. It syncs what it commits, as a server in
 * production does.
 *
 * <p>Public, and in the module's test jar, for the tests of other modules.
 */
public final class PostgresServer implements AutoCloseable {

    private static final Duration MAX_START = Duration.ofMinutes(2);
    private static final String USER = "postgres";
    private static final AtomicInteger SCHEMAS = new AtomicInteger();

    private final Path folder;
    private final Map<String, String> configuration;
    private EmbeddedPostgres server;
    private final Process watch; // one for all servers on the folder

    private PostgresServer(Path folder, Map<String, String> configuration) throws IOException {
        this.folder = folder;
        this.configuration = configuration;
        this.server = launch(0);
        this.watch = endWithThisProcess();
        Runtime.getRuntime().addShutdownHook(new Thread(this::closeQuietly));
    }

    private static final class Shared {
        private static final PostgresServer SERVER = start();
    }

    /** The server that all tests of this JVM share; each takes a schema of its own. Ends with the JVM. */
    public static PostgresServer shared() {
        return Shared.SERVER;
    }

    /** A server for one test alone. */
    public static PostgresServer start() {
        return start(Map.of());
    }

    /**
     * A server for one test alone.
     *
     * @param configuration lines of {@code postgresql.conf} beyond the usual
     */
    public static PostgresServer start(Map<String, String> configuration) {
        try {
            return new PostgresServer(Files.createTempDirectory("holdfast-postgres"), configuration);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * A server on a folder that holds the data of one.
     *
     * @param folder has them under {@code data}; deleted with the server
     */
    static PostgresServer startOn(Path folder, Map<String, String> configuration) throws IOException {
        return new PostgresServer(folder, configuration);
    }

    private EmbeddedPostgres launch(int port) throws IOException {
        EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
                .setDataDirectory(folder.resolve("data"))
                .setCleanDataDirectory(false)
                .setRegisterShutdownHook(false)
                .setPGStartupWait(MAX_START)
                .setServerConfig("fsync", "on")
                .setServerConfig("full_page_writes", "on")
                .setServerConfig("synchronous_commit", "on");
        configuration.forEach(builder::setServerConfig);
        return port == 0 ? builder.start() : builder.setPort(port).start();
    }

    /** A shell that waits for the end of its input, which is that of this process however it ends, and then stops the server that runs on the folder. */
    private Process endWithThisProcess() throws IOException {
        return new ProcessBuilder(
                        "/bin/sh",
                        "-c",
                        "cat >/dev/null; pid=$(head -n 1 \"$0\" 2>/dev/null) && kill -QUIT $pid",
                        folder.resolve("data/postmaster.pid").toString())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    public int port() {
        return server.getPort();
    }

    /** The URL without user and password. */
    public String jdbcUrl() {
        return jdbcUrl(port());
    }

    /** The same database by another port of this machine, such as a proxy's. */
    public static String jdbcUrl(int port) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/postgres";
    }

    /** Settings with a schema that no other test has, and few shards. */
    public PostgresSettings settings() {
        return settings(jdbcUrl());
    }

    /** The same by another URL. */
    public PostgresSettings settings(String url) {
        return PostgresSettings.of(url)
                .withUser(USER, "")
                .withSchema("test_" + SCHEMAS.incrementAndGet())
                .withShards(4)
                .withPools(4, 2);
    }

    /** A connection for looking at things from outside. */
    public Connection connect() throws SQLException {
        return DriverManager.getConnection(jdbcUrl(), USER, "");
    }

    public void run(String... statements) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /** The number in the first column of the first row, or 0. */
    public long number(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return rows.next() ? rows.getLong(1) : 0;
        }
    }

    /** Stops it at once, without a checkpoint, as a crash does: what was not synced is lost. */
    public void crash() throws IOException, InterruptedException {
        ProcessHandle postmaster = postmaster();
        int exit = new ProcessBuilder("kill", "-QUIT", Long.toString(postmaster.pid()))
                .start()
                .waitFor();
        if (exit != 0) {
            throw new IOException("kill ended with " + exit);
        }
        awaitEnd(postmaster);
    }

    /** SIGKILL to all of its processes, as the loss of its machine. */
    void kill() throws IOException {
        ProcessHandle postmaster = postmaster();
        List<ProcessHandle> all = new ArrayList<>(List.of(postmaster));
        all.addAll(postmaster.descendants().toList());
        all.forEach(ProcessHandle::destroyForcibly);
        for (ProcessHandle each : all) {
            awaitEnd(each);
        }
    }

    private ProcessHandle postmaster() throws IOException {
        long pid = Long.parseLong(Files.readAllLines(folder.resolve("data/postmaster.pid"))
                .getFirst()
                .trim());
        return ProcessHandle.of(pid).orElseThrow();
    }

    private static void awaitEnd(ProcessHandle process) throws IOException {
        try {
            ProcessHandle unused = process.onExit().get(MAX_START.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("the server did not stop", e);
        } catch (InterruptedException e) {
            throw new InterruptedIOException("the server may not have stopped");
        }
    }

    /** Copies its data to another folder, as they are when it has ended in order, and starts it again at the same port. */
    void copyTo(Path other) throws IOException {
        int port = port();
        server.close();
        PostgresPair.copy(folder.resolve("data"), other.resolve("data"));
        server = launch(port);
    }

    /** Starts it again after a crash, at the same port. */
    public void restart() throws IOException {
        int port = port();
        server.close();
        server = launch(port);
    }

    /** Stops it and deletes its data. */
    @Override
    public synchronized void close() throws IOException {
        server.close();
        deleteAll(folder);
        watch.destroy();
    }

    private void closeQuietly() {
        try {
            close();
        } catch (IOException e) { // the JVM ends; what is left lies in the folder for temporary files
            assert folder != null;
        }
    }

    private static void deleteAll(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
