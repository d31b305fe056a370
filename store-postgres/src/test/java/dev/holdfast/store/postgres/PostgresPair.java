package dev.holdfast.store.postgres;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A primary whose commits wait until a standby has them on disk, and that standby, which streams from it and can be promoted by hand.
 *
 * <p>Public, and in the module's test jar, for the tests of other modules. One thread ends and promotes them.
 */
public final class PostgresPair implements AutoCloseable {

    private static final String STANDBY = "standby";

    private final PostgresServer primary;
    private final PostgresServer standby;

    private PostgresPair(PostgresServer primary, PostgresServer standby) {
        this.primary = primary;
        this.standby = standby;
    }

    /** Starts both, and returns once commits of the primary wait for the standby. */
    public static PostgresPair start() {
        try {
            PostgresServer primary =
                    PostgresServer.start(Map.of("synchronous_standby_names", STANDBY, "wal_keep_size", "1GB"));
            Path copy = Files.createTempDirectory("holdfast-standby");
            primary.copyTo(copy);
            Files.createFile(copy.resolve("data/standby.signal"));
            Files.write(
                    copy.resolve("data/postgresql.auto.conf"),
                    List.of("primary_conninfo = 'host=127.0.0.1 port=%d user=postgres application_name=%s'"
                            .formatted(primary.port(), STANDBY)));
            PostgresPair pair = new PostgresPair(primary, PostgresServer.startOn(copy, Map.of()));
            pair.awaitSynchronous();
            return pair;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void awaitSynchronous() {
        try {
            primary.run("CREATE TABLE first_commit (x int)"); // returns only when the standby has it
            long synchronous = primary.number("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'");
            if (synchronous != 1) {
                throw new IllegalStateException("commits of the primary wait for %d standbys".formatted(synchronous));
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The URL of whichever of the two takes writes. */
    public String jdbcUrl() {
        return "jdbc:postgresql://127.0.0.1:%d,127.0.0.1:%d/postgres?targetServerType=primary&hostRecheckSeconds=1"
                .formatted(primary.port(), standby.port());
    }

    public PostgresServer primary() {
        return primary;
    }

    public PostgresServer standby() {
        return standby;
    }

    /** SIGKILL to every process of the primary: it says nothing more to anyone, and does not come back. */
    public void killPrimary() throws IOException {
        primary.kill();
    }

    /** Makes the standby the primary; returns when it takes writes. */
    public void promoteStandby() throws SQLException {
        if (standby.number("SELECT CASE WHEN pg_promote(true, 120) THEN 1 ELSE 0 END") != 1) {
            throw new SQLException("the standby was not promoted within two minutes");
        }
    }

    /** Copies a folder with all that is in it, and their permissions, which the server is particular about. */
    static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file).toString()), StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
    }

    @Override
    public void close() throws IOException {
        try {
            standby.close();
        } finally {
            primary.close();
        }
    }
}
