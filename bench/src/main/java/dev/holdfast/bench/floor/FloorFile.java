package dev.holdfast.bench.floor;

import dev.holdfast.store.StoreSettings;
import dev.holdfast.store.StoreTransaction;
import dev.holdfast.store.sqlite.SqliteStore;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A bare SQLite file with the settings of Holdfast's store. They are not copied into this class but read from a store that is opened for
 * the purpose, so that a floor can never compete under other rules: same page size, WAL with the same {@code synchronous}, no checkpoints
 * inside commits, same cache, same driver.
 */
public final class FloorFile {

    /** In the order in which they must be set: the page size only works on an empty file. */
    private static final List<String> PRAGMAS = List.of(
            "page_size",
            "journal_mode",
            "synchronous",
            "locking_mode",
            "fullfsync",
            "checkpoint_fullfsync",
            "wal_autocheckpoint",
            "journal_size_limit",
            "cache_size",
            "cell_size_check",
            "foreign_keys",
            "mmap_size",
            "temp_store",
            "secure_delete",
            "auto_vacuum");

    private final Path file;
    private final Map<String, String> pragmas;

    private FloorFile(Path file, Map<String, String> pragmas) {
        this.file = file;
        this.pragmas = pragmas;
    }

    /** A new file in an empty folder, with the settings of a store that is opened below it. */
    public static FloorFile in(Path folder) throws SQLException {
        Map<String, String> pragmas = new LinkedHashMap<>();
        try (SqliteStore store = SqliteStore.open(folder.resolve("model"), StoreSettings.defaults())) {
            StoreTransaction transaction = store.begin();
            try {
                Connection connection = transaction.unwrap(Connection.class).orElseThrow();
                for (String name : PRAGMAS) {
                    pragmas.put(name, value(connection, name));
                }
            } finally {
                transaction.rollback();
            }
        }
        return new FloorFile(folder.resolve("floor.db"), pragmas);
    }

    /** The settings, by name. */
    public Map<String, String> pragmas() {
        return Map.copyOf(pragmas);
    }

    /** A connection to the file, which the first one creates. Auto-commit stays on, as in the store. */
    Connection connect() throws SQLException {
        Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        try (Statement statement = connection.createStatement()) {
            for (Map.Entry<String, String> pragma : pragmas.entrySet()) {
                statement.execute("PRAGMA " + pragma.getKey() + " = " + pragma.getValue());
            }
        }
        return connection;
    }

    static String value(Connection connection, String pragma) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("PRAGMA " + pragma)) {
            return row.next() ? row.getString(1) : "0";
        }
    }
}
