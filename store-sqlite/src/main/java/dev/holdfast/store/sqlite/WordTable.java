package dev.holdfast.store.sqlite;

import dev.holdfast.store.MessageRow;
import dev.holdfast.store.WordQuery;
import dev.holdfast.store.WordQuery.Found;
import dev.holdfast.store.WordsRow;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The words of messages: an index of SQLite's FTS5 that keeps no texts, and which message each of its entries belongs to.
 *
 * <p>An entry's number is its position, so that the index itself gives the youngest matches first. The tenant is a word in a column of its own:
 * a search costs what the tenant has, not what all have. Words come folded and without separators, so that the plainest tokenizer will do, and
 * no question can be anything but words.
 */
final class WordTable {

    private static final String ENTRY = "SELECT doc FROM holdfast_words WHERE session = ? AND seq = ?";
    private static final String LAST_ENTRY = "SELECT max(doc) FROM holdfast_words WHERE doc >= ? AND doc < ?";
    private static final String INSERT = "INSERT INTO holdfast_words (doc, session, seq) VALUES (?, ?, ?)";
    private static final String DELETE = "DELETE FROM holdfast_words WHERE doc = ?";
    private static final String INSERT_WORDS =
            "INSERT OR REPLACE INTO holdfast_search (rowid, tenant, words) VALUES (?, ?, ?)";
    private static final String DELETE_WORDS = "DELETE FROM holdfast_search WHERE rowid = ?";
    private static final String TENANT = "SELECT tenant FROM holdfast_sessions WHERE key = ?";

    private static final String FIND = """
            SELECT f.rowid, w.session, w.seq
            FROM holdfast_search f JOIN holdfast_words w ON w.doc = f.rowid JOIN holdfast_sessions s ON s.key = w.session
            WHERE holdfast_search MATCH ? AND f.rowid < ? AND s.deleted = 0 ORDER BY f.rowid DESC LIMIT ?""";

    private static final String WITHOUT_WORDS = """
            SELECT m.session, m.seq, m.id, m.parent, m.role, m.bytes, m.created_at, m.updated_at
            FROM holdfast_unsearched u JOIN holdfast_messages m ON (m.session, m.seq) < (u.session, u.seq)
            WHERE NOT EXISTS (SELECT 1 FROM holdfast_words w WHERE w.session = m.session AND w.seq = m.seq)
            ORDER BY m.session DESC, m.seq DESC LIMIT ?""";
    private static final String PASS_OVER = "UPDATE holdfast_unsearched SET session = ?, seq = ?";

    private final Statements statements;

    WordTable(Statements statements) {
        this.statements = statements;
    }

    void put(WordsRow row) throws SQLException {
        if (row.words().isEmpty()) {
            delete(row.sessionKey(), row.seq());
            return;
        }
        long entry = statements.number(ENTRY, row.sessionKey(), row.seq());
        if (entry == 0) {
            entry = newEntry(row);
            statements.update(INSERT, entry, row.sessionKey(), row.seq());
        }
        String tenant = statements
                .first(found -> Statements.text(found, 1), TENANT, row.sessionKey())
                .orElseThrow(() -> new SQLException("there is no session of key " + row.sessionKey()));
        statements.update(INSERT_WORDS, entry, word(tenant), row.words());
    }

    private long newEntry(WordsRow row) throws SQLException {
        long first = Math.max(1, row.createdAt() * WordQuery.POSITIONS_PER_MILLI);
        long last = statements.number(LAST_ENTRY, first, first + WordQuery.POSITIONS_PER_MILLI);
        return last == 0 ? first : last + 1;
    }

    void delete(long sessionKey, long seq) throws SQLException {
        long entry = statements.number(ENTRY, sessionKey, seq);
        if (entry != 0) {
            statements.update(DELETE_WORDS, entry);
            statements.update(DELETE, entry);
        }
    }

    List<Found> find(WordQuery query) throws SQLException {
        String words = Stream.concat(
                        query.words().stream().map(word -> '"' + word + '"'),
                        query.beginnings().stream().map(word -> '"' + word + "\"*"))
                .collect(Collectors.joining(" AND "));
        String match = "tenant : \"%s\" AND words : (%s)".formatted(word(query.tenant()), words);
        return statements.list(
                row -> new Found(row.getLong(1), row.getLong(2), row.getLong(3)),
                FIND,
                match,
                query.before(),
                query.limit());
    }

    /** A name as a word, whatever characters it has. */
    private static String word(String tenant) {
        return HexFormat.of().formatHex(tenant.getBytes(StandardCharsets.UTF_8));
    }

    List<MessageRow> without(int limit) throws SQLException {
        return statements.list(MessageTable::message, WITHOUT_WORDS, limit);
    }

    void passOver(MessageRow row) throws SQLException {
        statements.update(PASS_OVER, row.sessionKey(), row.seq());
    }
}
