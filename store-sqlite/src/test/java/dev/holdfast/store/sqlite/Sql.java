package dev.holdfast.store.sqlite;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** A connection to the store's file such as the application may have: nothing of the store's own is set on it. */
final class Sql {

    private Sql() {}

    static Connection connect(Path folder) throws SQLException {
        Connection connection = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("holdfast.db"));
        try (Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA busy_timeout = 5000");
        }
        return connection;
    }

    static void run(Path folder, String... statements) throws SQLException {
        try (Connection connection = connect(folder);
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    static long number(Path folder, String sql) throws SQLException {
        try (Connection connection = connect(folder);
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            return result.next() ? result.getLong(1) : 0;
        }
    }
}
