package dev.holdfast.store.sqlite;

import dev.holdfast.store.StreamQuery;
import dev.holdfast.store.StreamRow;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Streams.
 *
 * <p>SQLite rewrites an index entry whenever a statement names one of the index's columns, changed or not. So the indexes' conditions use
 * a column of their own, {@code gone} (1 discarded, 2 deleted but for its forks, 0 otherwise), and an update names only what moved: sealing, fencing and settling a stream touch one page.
 */
final class StreamTable {

    private static final String COLUMNS =
            "key, tenant, name, incarnation, owner, state, error, tag, content_type, metadata, created_at, "
                    + "updated_at, closed_at, epoch, first_seq, sealed_to, tail, last_append_at, ttl, expires_at, marks, source, forks, "
                    + "lineage, max_age, max_bytes, sealed_bytes, trim_at";
    private static final String SELECT = "SELECT " + COLUMNS + " FROM holdfast_streams ";

    private static final String INSERT = "INSERT INTO holdfast_streams (" + COLUMNS + ", gone) "
            + "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    private static final String UPDATE = """
            UPDATE holdfast_streams SET incarnation = ?, state = ?, error = ?, content_type = ?, metadata = ?, updated_at = ?,
              closed_at = ?, epoch = ?, first_seq = ?, sealed_to = ?, tail = ?, last_append_at = ?, ttl = ?, marks = ?,
              source = ?, forks = ?, lineage = ?, max_age = ?, max_bytes = ?, sealed_bytes = ?
            WHERE key = ?""";
    private static final String UPDATE_EXPIRY = "UPDATE holdfast_streams SET expires_at = ? WHERE key = ?";
    private static final String UPDATE_TRIM = "UPDATE holdfast_streams SET trim_at = ? WHERE key = ?";
    private static final String UPDATE_INDEXED = """
            UPDATE holdfast_streams SET tenant = ?, name = ?, owner = ?, tag = ?, created_at = ?, gone = ? WHERE key = ?""";
    private static final String DELETE = "DELETE FROM holdfast_streams WHERE key = ?";

    private static final String BY_NAME = SELECT + "WHERE tenant = ? AND name = ? AND gone <> 1";
    private static final String BY_KEY = SELECT + "WHERE key = ?";
    private static final String LIST = SELECT + """
            WHERE tenant = ? AND gone = 0 AND (created_at, key) < (?, ?) AND (1 << state) & ? <> 0
            ORDER BY created_at DESC, key DESC LIMIT ?""";
    private static final String LIST_BY_TAG = SELECT + """
            WHERE tenant = ? AND tag = ? AND gone = 0 AND (created_at, key) < (?, ?) AND (1 << state) & ? <> 0
            ORDER BY created_at DESC, key DESC LIMIT ?""";
    private static final String DISCARDED = "SELECT key FROM holdfast_streams WHERE gone = 1 ORDER BY key LIMIT ?";
    private static final String EXPIRED = """
            SELECT key FROM holdfast_streams WHERE expires_at > 0 AND gone = 0 AND expires_at <= ?
            ORDER BY expires_at LIMIT ?""";
    private static final String NEXT_EXPIRY =
            "SELECT expires_at FROM holdfast_streams WHERE expires_at > 0 AND gone = 0 ORDER BY expires_at LIMIT 1";
    private static final String TRIMMABLE = """
            SELECT key FROM holdfast_streams WHERE trim_at > 0 AND gone = 0 AND trim_at <= ?
            ORDER BY trim_at LIMIT ?""";
    private static final String NEXT_TRIM =
            "SELECT trim_at FROM holdfast_streams WHERE trim_at > 0 AND gone = 0 ORDER BY trim_at LIMIT 1";
    private static final String OWNED =
            "SELECT key FROM holdfast_streams WHERE owner = ? AND owner > 0 AND gone = 0 ORDER BY key LIMIT ?";
    private static final String INDEXED =
            "SELECT tenant, name, owner, tag, created_at, gone, expires_at, trim_at FROM holdfast_streams WHERE key = ?";

    private final Statements statements;

    StreamTable(Statements statements) {
        this.statements = statements;
    }

    /** What indexes depend on. */
    private record Indexed(
            String tenant,
            String name,
            long owner,
            @Nullable String tag,
            long createdAt,
            int gone) {}

    private record IndexedWithTimes(Indexed indexed, long expiresAt, long trimAt) {}

    void insert(StreamRow s) throws SQLException {
        statements.update(
                INSERT,
                s.key(),
                s.tenant(),
                s.name(),
                s.incarnation(),
                s.owner(),
                s.state().code(),
                s.error(),
                s.tag(),
                s.contentType(),
                s.metadata(),
                s.createdAt(),
                s.updatedAt(),
                s.closedAt(),
                s.epoch(),
                s.firstSeq(),
                s.sealedTo(),
                s.tail(),
                s.lastAppendAt(),
                s.ttlMillis(),
                s.expiresAt(),
                s.marks(),
                s.kin().source(),
                s.kin().forks(),
                s.kin().lineage(),
                s.retained().maxAgeMillis(),
                s.retained().maxBytes(),
                s.retained().sealedBytes(),
                s.retained().trimAt(),
                gone(s));
    }

    void update(StreamRow s) throws SQLException {
        IndexedWithTimes before = statements
                .first(StreamTable::indexed, INDEXED, s.key())
                .orElseThrow(() -> new SQLException("there is no stream of key " + s.key() + " to update"));
        statements.updateOne(
                UPDATE,
                s.incarnation(),
                s.state().code(),
                s.error(),
                s.contentType(),
                s.metadata(),
                s.updatedAt(),
                s.closedAt(),
                s.epoch(),
                s.firstSeq(),
                s.sealedTo(),
                s.tail(),
                s.lastAppendAt(),
                s.ttlMillis(),
                s.marks(),
                s.kin().source(),
                s.kin().forks(),
                s.kin().lineage(),
                s.retained().maxAgeMillis(),
                s.retained().maxBytes(),
                s.retained().sealedBytes(),
                s.key());
        if (before.expiresAt() != s.expiresAt()) {
            statements.updateOne(UPDATE_EXPIRY, s.expiresAt(), s.key());
        }
        if (before.trimAt() != s.retained().trimAt()) {
            statements.updateOne(UPDATE_TRIM, s.retained().trimAt(), s.key());
        }
        Indexed after = new Indexed(s.tenant(), s.name(), s.owner(), s.tag(), s.createdAt(), gone(s));
        if (!Objects.equals(before.indexed(), after)) {
            statements.updateOne(
                    UPDATE_INDEXED, s.tenant(), s.name(), s.owner(), s.tag(), s.createdAt(), gone(s), s.key());
        }
    }

    void delete(long key) throws SQLException {
        statements.update(DELETE, key);
    }

    Optional<StreamRow> byName(String tenant, String name) throws SQLException {
        return statements.first(StreamTable::stream, BY_NAME, tenant, name);
    }

    Optional<StreamRow> byKey(long key) throws SQLException {
        return statements.first(StreamTable::stream, BY_KEY, key);
    }

    List<StreamRow> list(StreamQuery query) throws SQLException {
        StreamQuery.Position after = query.after();
        long createdAt = after == null ? Long.MAX_VALUE : after.createdAt();
        long key = after == null ? Long.MAX_VALUE : after.key();
        int states = 0;
        for (StreamRow.State state : query.states()) {
            states |= 1 << state.code();
        }
        String tag = query.tag();
        return tag == null
                ? statements.list(StreamTable::stream, LIST, query.tenant(), createdAt, key, states, query.limit())
                : statements.list(
                        StreamTable::stream, LIST_BY_TAG, query.tenant(), tag, createdAt, key, states, query.limit());
    }

    List<Long> discarded(int limit) throws SQLException {
        return statements.numbers(DISCARDED, limit);
    }

    List<Long> expired(long now, int limit) throws SQLException {
        return statements.numbers(EXPIRED, now, limit);
    }

    long nextExpiry() throws SQLException {
        return statements.number(NEXT_EXPIRY);
    }

    List<Long> trimmable(long now, int limit) throws SQLException {
        return statements.numbers(TRIMMABLE, now, limit);
    }

    long nextTrim() throws SQLException {
        return statements.number(NEXT_TRIM);
    }

    List<Long> ownedBy(long sessionKey, int limit) throws SQLException {
        return statements.numbers(OWNED, sessionKey, limit);
    }

    private static int gone(StreamRow stream) {
        return switch (stream.state()) {
            case LIVE, COMPLETED, ERRORED -> 0;
            case DISCARDED -> 1;
            case DELETED -> 2;
        };
    }

    private static IndexedWithTimes indexed(ResultSet row) throws SQLException {
        return new IndexedWithTimes(
                new Indexed(
                        Statements.text(row, 1),
                        Statements.text(row, 2),
                        row.getLong(3),
                        row.getString(4),
                        row.getLong(5),
                        row.getInt(6)),
                row.getLong(7),
                row.getLong(8));
    }

    private static StreamRow stream(ResultSet row) throws SQLException {
        return new StreamRow(
                row.getLong(1),
                Statements.text(row, 2),
                Statements.text(row, 3),
                row.getLong(4),
                row.getLong(5),
                StreamRow.State.of(row.getInt(6)),
                row.getString(7),
                row.getString(8),
                Statements.text(row, 9),
                Statements.blob(row, 10),
                row.getLong(11),
                row.getLong(12),
                row.getLong(13),
                row.getLong(14),
                row.getLong(15),
                row.getLong(16),
                row.getLong(17),
                row.getLong(18),
                row.getLong(19),
                row.getLong(20),
                Statements.blob(row, 21),
                new StreamRow.Kin(row.getLong(22), row.getLong(23), Statements.blob(row, 24)),
                new StreamRow.Retained(row.getLong(25), row.getLong(26), row.getLong(27), row.getLong(28)));
    }
}
