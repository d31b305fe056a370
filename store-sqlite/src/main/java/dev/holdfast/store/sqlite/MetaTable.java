package dev.holdfast.store.sqlite;

import java.sql.SQLException;

/** The store's few counters, each a row, all on one page. */
final class MetaTable {

    static final String SCHEMA_VERSION = "schema_version";
    /** The next key that was never handed out. */
    static final String NEXT_KEY = "next_key";
    /** The highest position whose log entry was released; the log's first entry is the one after it. */
    static final String LOG_RELEASED = "log_released";
    /** A position up to which the log was complete when this was written: at a release, and at a clean close. */
    static final String LOG_KNOWN = "log_known";
    /** The number of the open store that may write; see {@link Ownership}. */
    static final String OWNER = "owner";

    private static final String SELECT = "SELECT value FROM holdfast_meta WHERE name = ?";
    private static final String UPSERT =
            "INSERT INTO holdfast_meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value";

    private final Statements statements;

    MetaTable(Statements statements) {
        this.statements = statements;
    }

    /** The counter's value, 0 if it was never set. */
    long get(String name) throws SQLException {
        return statements.number(SELECT, name);
    }

    void set(String name, long value) throws SQLException {
        statements.update(UPSERT, name, value);
    }
}
