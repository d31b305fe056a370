package dev.holdfast.store.sqlite;

import dev.holdfast.error.HoldfastException.StoreFailed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;

/**
 * Tells a database of another application from a store. A file with Holdfast's tables is a store, whatever else is in it; one without them
 * is taken only if it is empty or says in its header that Holdfast made it.
 */
final class ForeignFile {

    /** What the header's application id is in a store that Holdfast made: {@code Hold}. */
    static final long APPLICATION_ID = 0x486F6C64;

    private static final String HAS_META =
            "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'holdfast_meta'";
    private static final String OBJECTS = "SELECT count(*) FROM sqlite_schema";
    private static final String ID = "PRAGMA application_id";
    private static final String SET_ID = "PRAGMA application_id = " + APPLICATION_ID;

    private ForeignFile() {}

    /**
     * Opens the connection that writes, unless the file is another application's. That one is looked at before, since the store's own
     * connection would give it a write-ahead log; the connection that looks is closed after the other one was opened, so that its end is
     * never the one that empties such a log.
     */
    static Statements openWriter(Path file, Connections connections) throws IOException, SQLException {
        if (!Files.exists(file) || Files.size(file) == 0) {
            return connections.writer();
        }
        try (Statements probe = connections.reader()) {
            refuse(probe, file);
            return connections.writer();
        }
    }

    private static void refuse(Statements statements, Path file) throws SQLException {
        if (hasTables(statements)) {
            return;
        }
        long id = statements.number(ID);
        boolean empty = statements.number(OBJECTS) == 0;
        if (id != APPLICATION_ID && !(empty && id == 0)) {
            throw new StoreFailed(
                    "%s is a database of another application: it has none of Holdfast's tables. Nothing was changed. Use another folder, or move that file away."
                            .formatted(file),
                    new SQLException("application_id is " + id));
        }
    }

    static boolean hasTables(Statements statements) throws SQLException {
        return statements.number(HAS_META) != 0;
    }

    /** In the transaction that makes the tables. */
    static void sign(Statements statements) throws SQLException {
        statements.run(SET_ID);
    }
}
