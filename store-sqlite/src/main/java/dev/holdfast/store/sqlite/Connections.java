package dev.holdfast.store.sqlite;

import dev.holdfast.store.StoreSettings;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import org.sqlite.JDBC;

/**
 * Opens the connections to the database file, each with the settings its role needs.
 *
 * <p>{@code locking_mode} stays NORMAL, so that the application may open its own connection to the file; another process is kept out by
 * {@link FolderLock}. Checkpoints are never SQLite's own: inside a commit they are what the slowest commits wait for.
 */
final class Connections {

    private static final List<String> COMMON = List.of(
            "PRAGMA foreign_keys = OFF",
            "PRAGMA cell_size_check = ON",
            "PRAGMA synchronous = FULL",
            // On macOS an fsync leaves data in the drive's cache; elsewhere these two change nothing.
            "PRAGMA fullfsync = ON",
            "PRAGMA checkpoint_fullfsync = ON",
            "PRAGMA wal_autocheckpoint = 0",
            "PRAGMA journal_size_limit = " + SqliteLimits.KEPT_WAL_BYTES);

    private final Path file;
    private final StoreSettings settings;

    Connections(Path file, StoreSettings settings) {
        this.file = file;
        this.settings = settings;
    }

    /** The connection of the committer. Creates the file if it is missing. */
    Statements writer() throws SQLException {
        return open(List.of(
                // The page size is set while the file is empty and ignored afterwards.
                "PRAGMA page_size = " + SqliteLimits.PAGE_BYTES,
                "PRAGMA journal_mode = WAL",
                "PRAGMA cache_size = -" + SqliteLimits.WRITE_CACHE_KIB,
                "PRAGMA max_page_count = " + maxPages()));
    }

    /** A connection for reads on snapshots. */
    Statements reader() throws SQLException {
        return open(List.of("PRAGMA cache_size = -" + SqliteLimits.READ_CACHE_KIB, "PRAGMA query_only = ON"));
    }

    /** The configured size, in pages. */
    long maxPages() {
        long pages = settings.maxStoreBytes() / SqliteLimits.PAGE_BYTES;
        return Math.max(1, Math.min(pages, 0xFFFFFFFEL));
    }

    private Statements open(List<String> role) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("busy_timeout", Integer.toString(busyMillis(settings.busyTimeout())));
        Connection connection = JDBC.createConnection(url(), properties);
        if (connection == null) {
            throw new SQLException("the driver does not accept " + url());
        }
        try (Statement statement = connection.createStatement()) {
            for (String pragma : COMMON) {
                statement.execute(pragma);
            }
            for (String pragma : role) {
                statement.execute(pragma);
            }
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
        return new Statements(connection);
    }

    static int busyMillis(Duration busyTimeout) {
        return (int) Math.max(0, Math.min(busyTimeout.toMillis(), Integer.MAX_VALUE));
    }

    /** A URI, so that no character of the path (a question mark, a percent sign) is read as a parameter. */
    private String url() {
        return JDBC.PREFIX + "file:" + file.toAbsolutePath().toUri().getRawPath();
    }
}
