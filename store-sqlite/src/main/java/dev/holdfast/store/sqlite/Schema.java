package dev.holdfast.store.sqlite;

import dev.holdfast.error.HoldfastException.StoreTooNew;
import java.sql.SQLException;
import java.util.List;

/**
 * The tables' definition, as the steps that lead from an empty file to today's version.
 *
 * <p>Each step runs in one transaction together with the note that it ran, so a crash leaves the file at one version or the next. Steps
 * are never changed once released; a new version is a new step. All names start with {@code holdfast_}, since the application may keep its
 * own tables in the same file.
 */
final class Schema {

    /** Version 1. */
    private static final List<String> INITIAL = List.of(
            """
            CREATE TABLE holdfast_meta (
              name TEXT PRIMARY KEY,
              value INTEGER NOT NULL
            ) WITHOUT ROWID""",
            """
            CREATE TABLE holdfast_journal (
              id INTEGER PRIMARY KEY,
              data BLOB NOT NULL
            )""",
            """
            CREATE TABLE holdfast_blocks (
              id INTEGER PRIMARY KEY,
              stream INTEGER NOT NULL,
              from_seq INTEGER NOT NULL,
              to_seq INTEGER NOT NULL,
              last_at INTEGER NOT NULL,
              bytes_to INTEGER NOT NULL,
              body BLOB NOT NULL
            )""",
            "CREATE UNIQUE INDEX holdfast_blocks_stream ON holdfast_blocks (stream, from_seq)",
            """
            CREATE TABLE holdfast_streams (
              key INTEGER PRIMARY KEY,
              tenant TEXT NOT NULL,
              name TEXT NOT NULL,
              incarnation INTEGER NOT NULL,
              owner INTEGER NOT NULL,
              state INTEGER NOT NULL,
              gone INTEGER NOT NULL,
              error TEXT,
              tag TEXT,
              content_type TEXT NOT NULL,
              created_at INTEGER NOT NULL,
              updated_at INTEGER NOT NULL,
              closed_at INTEGER NOT NULL,
              epoch INTEGER NOT NULL,
              first_seq INTEGER NOT NULL,
              sealed_to INTEGER NOT NULL,
              tail INTEGER NOT NULL,
              last_append_at INTEGER NOT NULL,
              ttl INTEGER NOT NULL,
              expires_at INTEGER NOT NULL,
              source INTEGER NOT NULL,
              forks INTEGER NOT NULL,
              max_age INTEGER NOT NULL,
              max_bytes INTEGER NOT NULL,
              sealed_bytes INTEGER NOT NULL,
              trim_at INTEGER NOT NULL,
              metadata BLOB NOT NULL,
              marks BLOB NOT NULL,
              lineage BLOB NOT NULL
            )""",
            "CREATE UNIQUE INDEX holdfast_streams_name ON holdfast_streams (tenant, name) WHERE gone <> 1",
            "CREATE INDEX holdfast_streams_recent ON holdfast_streams (tenant, created_at) WHERE gone = 0",
            """
            CREATE INDEX holdfast_streams_tag ON holdfast_streams (tenant, tag, created_at)
              WHERE tag IS NOT NULL AND gone = 0""",
            "CREATE INDEX holdfast_streams_owner ON holdfast_streams (owner) WHERE owner > 0 AND gone = 0",
            "CREATE INDEX holdfast_streams_expiry ON holdfast_streams (expires_at) WHERE expires_at > 0 AND gone = 0",
            "CREATE INDEX holdfast_streams_trim ON holdfast_streams (trim_at) WHERE trim_at > 0 AND gone = 0",
            "CREATE INDEX holdfast_streams_discarded ON holdfast_streams (key) WHERE gone = 1",
            """
            CREATE TABLE holdfast_sessions (
              key INTEGER PRIMARY KEY,
              tenant TEXT NOT NULL,
              id TEXT NOT NULL,
              deleted INTEGER NOT NULL,
              created_at INTEGER NOT NULL,
              updated_at INTEGER NOT NULL,
              epoch INTEGER NOT NULL
            )""",
            "CREATE UNIQUE INDEX holdfast_sessions_id ON holdfast_sessions (tenant, id) WHERE deleted = 0",
            "CREATE INDEX holdfast_sessions_recent ON holdfast_sessions (tenant, updated_at) WHERE deleted = 0",
            "CREATE INDEX holdfast_sessions_deleted ON holdfast_sessions (key) WHERE deleted = 1",
            """
            CREATE TABLE holdfast_feed (
              session INTEGER NOT NULL,
              seq INTEGER NOT NULL,
              kind INTEGER NOT NULL,
              at INTEGER NOT NULL,
              message TEXT,
              turn TEXT,
              detail TEXT,
              PRIMARY KEY (session, seq)
            ) WITHOUT ROWID""",
            """
            CREATE TABLE holdfast_contents (
              id INTEGER PRIMARY KEY,
              data BLOB NOT NULL
            )""",
            """
            CREATE TABLE holdfast_messages (
              session INTEGER NOT NULL,
              seq INTEGER NOT NULL,
              id TEXT NOT NULL,
              parent INTEGER NOT NULL,
              role TEXT NOT NULL,
              bytes INTEGER NOT NULL,
              created_at INTEGER NOT NULL,
              updated_at INTEGER NOT NULL,
              content INTEGER NOT NULL,
              checksum INTEGER NOT NULL,
              PRIMARY KEY (session, seq)
            ) WITHOUT ROWID""",
            "CREATE UNIQUE INDEX holdfast_messages_id ON holdfast_messages (session, id)",
            "CREATE INDEX holdfast_messages_parent ON holdfast_messages (session, parent)",
            """
            CREATE TABLE holdfast_turns (
              session INTEGER NOT NULL,
              id TEXT NOT NULL,
              state INTEGER NOT NULL,
              live INTEGER NOT NULL,
              agent TEXT NOT NULL,
              fingerprint BLOB NOT NULL,
              user_message TEXT,
              message TEXT NOT NULL,
              stream INTEGER NOT NULL,
              stream_name TEXT,
              parent TEXT,
              epoch INTEGER NOT NULL,
              attempts INTEGER NOT NULL,
              progress INTEGER NOT NULL,
              stop_requested INTEGER NOT NULL,
              error TEXT,
              created_at INTEGER NOT NULL,
              progress_at INTEGER NOT NULL,
              ended_at INTEGER NOT NULL,
              input INTEGER NOT NULL,
              input_bytes INTEGER NOT NULL,
              input_checksum INTEGER NOT NULL,
              kind INTEGER NOT NULL,
              starts_at INTEGER NOT NULL,
              slot INTEGER NOT NULL,
              PRIMARY KEY (session, id)
            ) WITHOUT ROWID""",
            "CREATE INDEX holdfast_turns_recent ON holdfast_turns (session, created_at)",
            "CREATE INDEX holdfast_turns_live ON holdfast_turns (session, id) WHERE live = 1",
            """
            CREATE TABLE holdfast_properties (
              owner TEXT NOT NULL,
              name TEXT NOT NULL,
              version INTEGER NOT NULL,
              value BLOB NOT NULL,
              expires_at INTEGER NOT NULL,
              PRIMARY KEY (owner, name)
            ) WITHOUT ROWID""",
            "CREATE INDEX holdfast_properties_expiry ON holdfast_properties (expires_at) WHERE expires_at > 0");

    /** Version 2: titles, attachments and the search. Messages that are there are taken up afterwards, from {@code holdfast_unsearched} down. */
    private static final List<String> CONVERSATIONS = List.of(
            "ALTER TABLE holdfast_sessions ADD COLUMN title TEXT",
            """
            CREATE TABLE holdfast_blobs (
              key INTEGER PRIMARY KEY,
              session INTEGER NOT NULL,
              id TEXT NOT NULL,
              media_type TEXT NOT NULL,
              filename TEXT,
              bytes INTEGER NOT NULL,
              refs INTEGER NOT NULL,
              expires_at INTEGER NOT NULL,
              created_at INTEGER NOT NULL
            )""",
            "CREATE UNIQUE INDEX holdfast_blobs_id ON holdfast_blobs (session, id)",
            "CREATE INDEX holdfast_blobs_expiry ON holdfast_blobs (expires_at) WHERE expires_at > 0",
            """
            CREATE TABLE holdfast_blob_pieces (
              id INTEGER PRIMARY KEY,
              data BLOB NOT NULL
            )""",
            """
            CREATE TABLE holdfast_names (
              session INTEGER NOT NULL,
              seq INTEGER NOT NULL,
              blob TEXT NOT NULL,
              PRIMARY KEY (session, seq, blob)
            ) WITHOUT ROWID""",
            """
            CREATE VIRTUAL TABLE holdfast_search USING fts5 (
              tenant, words, content='', contentless_delete=1, detail=column, tokenize='ascii'
            )""",
            """
            CREATE TABLE holdfast_words (
              doc INTEGER PRIMARY KEY,
              session INTEGER NOT NULL,
              seq INTEGER NOT NULL
            )""",
            "CREATE UNIQUE INDEX holdfast_words_message ON holdfast_words (session, seq)",
            """
            CREATE TABLE holdfast_unsearched (
              session INTEGER NOT NULL,
              seq INTEGER NOT NULL
            )""",
            """
            INSERT INTO holdfast_unsearched (session, seq)
              SELECT session, seq + 1 FROM holdfast_messages ORDER BY session DESC, seq DESC LIMIT 1""");

    static final List<List<String>> STEPS = List.of(INITIAL, CONVERSATIONS);

    private Schema() {}

    /**
     * Brings the file to the version that the steps lead to; step {@code n} leads from version {@code n} to {@code n + 1}.
     *
     * @throws StoreTooNew if the file is beyond it
     */
    static void migrate(Statements statements, List<List<String>> steps) throws SQLException {
        long version = version(statements);
        if (version > steps.size()) {
            throw new StoreTooNew(("The store has schema version %d, but this version of Holdfast knows %d at most. "
                            + "Open it with the version that wrote it, or a newer one.")
                    .formatted(version, steps.size()));
        }
        for (long from = version; from < steps.size(); from++) {
            step(statements, steps.get((int) from), from + 1);
        }
    }

    static long version(Statements statements) throws SQLException {
        return ForeignFile.hasTables(statements) ? new MetaTable(statements).get(MetaTable.SCHEMA_VERSION) : 0;
    }

    private static void step(Statements statements, List<String> step, long to) throws SQLException {
        statements.run("BEGIN IMMEDIATE");
        try {
            for (String sql : step) {
                statements.run(sql);
            }
            if (to == 1) {
                ForeignFile.sign(statements);
            }
            new MetaTable(statements).set(MetaTable.SCHEMA_VERSION, to);
            statements.run("COMMIT");
        } catch (SQLException | RuntimeException e) {
            rollback(statements, e);
            throw e;
        }
    }

    private static void rollback(Statements statements, Exception cause) {
        try {
            statements.run("ROLLBACK");
        } catch (SQLException e) { // SQLite rolled back by itself; opening fails in any case
            cause.addSuppressed(e);
        }
    }
}
