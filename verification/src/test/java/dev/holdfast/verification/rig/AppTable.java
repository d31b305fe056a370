package dev.holdfast.verification.rig;

import dev.holdfast.stream.CommitCallback;
import dev.holdfast.stream.CommitCallback.CommitHandle;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.TreeMap;

/** An application's own table in the store's file: finished messages, written inside the commit that ends their stream. */
public final class AppTable {

    private AppTable() {}

    private static final String CREATE =
            "CREATE TABLE IF NOT EXISTS app_messages (name TEXT PRIMARY KEY, chunks INTEGER NOT NULL)";

    /** Writes a message. A second message of the same name is an error of the application, and fails. */
    public static CommitCallback message(String name, long chunks) {
        return handle -> write(handle, name, chunks);
    }

    public static void write(CommitHandle handle, String name, long chunks) throws SQLException {
        Connection connection = handle.unwrap(Connection.class).orElseThrow();
        try (Statement create = connection.createStatement()) {
            create.execute(CREATE);
        }
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO app_messages (name, chunks) VALUES (?, ?)")) {
            insert.setString(1, name);
            insert.setLong(2, chunks);
            insert.executeUpdate();
        }
    }

    /** The messages that are committed, read through a connection of the application's own. */
    public static Map<String, Long> messages(Path folder) {
        Map<String, Long> found = new TreeMap<>();
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("holdfast.db"));
                Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA busy_timeout = 10000");
            try (ResultSet exists =
                    statement.executeQuery("SELECT count(*) FROM sqlite_schema WHERE name = 'app_messages'")) {
                if (exists.getInt(1) == 0) {
                    return found;
                }
            }
            try (ResultSet rows = statement.executeQuery("SELECT name, chunks FROM app_messages")) {
                while (rows.next()) {
                    found.put(rows.getString(1), rows.getLong(2));
                }
            }
            return found;
        } catch (SQLException e) {
            throw new AssertionError("the application cannot read its table", e);
        }
    }
}
