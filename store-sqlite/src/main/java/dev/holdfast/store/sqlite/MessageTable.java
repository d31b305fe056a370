package dev.holdfast.store.sqlite;

import dev.holdfast.store.MessageRow;
import dev.holdfast.store.sqlite.ContentTable.Place;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The messages' places in their sessions' trees, clustered by session; contents lie in {@link ContentTable}. */
final class MessageTable {

    private static final String COLUMNS = "session, seq, id, parent, role, bytes, created_at, updated_at";
    private static final String SELECT = "SELECT " + COLUMNS + " FROM holdfast_messages ";

    private static final String INSERT =
            "INSERT INTO holdfast_messages (" + COLUMNS + ", content, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    private static final String UPDATE = """
            UPDATE holdfast_messages SET role = ?, bytes = ?, created_at = ?, updated_at = ?, content = ?, checksum = ?
            WHERE session = ? AND seq = ?""";
    private static final String RENAME = "UPDATE holdfast_messages SET id = ? WHERE session = ? AND seq = ?";
    private static final String MOVE = "UPDATE holdfast_messages SET parent = ? WHERE session = ? AND seq = ?";
    private static final String DELETE = "DELETE FROM holdfast_messages WHERE session = ? AND seq = ?";

    private static final String BY_ID = SELECT + "WHERE session = ? AND id = ?";
    private static final String BY_SEQ = SELECT + "WHERE session = ? AND seq = ?";
    private static final String ACTIVE_LEAF = SELECT + "WHERE session = ? ORDER BY seq DESC LIMIT 1";
    private static final String CHILDREN = SELECT + "WHERE session = ? AND parent = ? ORDER BY seq LIMIT ?";
    private static final String ANCESTORS = """
            WITH RECURSIVE path (session, seq, id, parent, role, bytes, created_at, updated_at) AS (
              SELECT %1$s FROM holdfast_messages WHERE session = ? AND seq = ?
              UNION ALL
              SELECT m.session, m.seq, m.id, m.parent, m.role, m.bytes, m.created_at, m.updated_at
              FROM path JOIN holdfast_messages m ON m.session = path.session AND m.seq = path.parent
              LIMIT ?)
            SELECT %1$s FROM path""".formatted(COLUMNS);
    private static final String COUNT = "SELECT count(*) FROM holdfast_messages WHERE session = ?";
    private static final String PLACE =
            "SELECT content, bytes, checksum FROM holdfast_messages WHERE session = ? AND seq = ?";
    private static final String NEWEST =
            "SELECT seq FROM holdfast_messages WHERE session = ? ORDER BY seq DESC LIMIT ?";

    private final Statements statements;
    private final ContentTable contents;
    private final WordTable words;
    private final BlobTable blobs;

    MessageTable(Statements statements, ContentTable contents, WordTable words, BlobTable blobs) {
        this.statements = statements;
        this.contents = contents;
        this.words = words;
        this.blobs = blobs;
    }

    void insert(MessageRow m, byte[] content) throws SQLException {
        Place place = contents.insert(content);
        statements.update(
                INSERT,
                m.sessionKey(),
                m.seq(),
                m.id(),
                m.parentSeq(),
                m.role(),
                place.bytes(),
                m.createdAt(),
                m.updatedAt(),
                place.id(),
                place.checksum());
    }

    void update(MessageRow m, byte[] content) throws SQLException {
        MessageRow before = bySeq(m.sessionKey(), m.seq())
                .orElseThrow(
                        () -> new SQLException("there is no message to update: " + m.sessionKey() + ", " + m.seq()));
        Place place = contents.replace(place(m.sessionKey(), m.seq()).orElseThrow(), content);
        statements.updateOne(
                UPDATE,
                m.role(),
                place.bytes(),
                m.createdAt(),
                m.updatedAt(),
                place.id(),
                place.checksum(),
                m.sessionKey(),
                m.seq());
        if (!before.id().equals(m.id())) {
            statements.updateOne(RENAME, m.id(), m.sessionKey(), m.seq());
        }
        if (before.parentSeq() != m.parentSeq()) {
            move(m.sessionKey(), m.seq(), m.parentSeq());
        }
    }

    void move(long sessionKey, long seq, long parentSeq) throws SQLException {
        statements.updateOne(MOVE, parentSeq, sessionKey, seq);
    }

    void delete(long sessionKey, long seq) throws SQLException {
        Optional<Place> place = place(sessionKey, seq);
        if (place.isPresent()) {
            contents.delete(place.get());
            words.delete(sessionKey, seq);
            blobs.name(sessionKey, seq, Set.of());
            statements.update(DELETE, sessionKey, seq);
        }
    }

    int clear(long sessionKey, int limit) throws SQLException {
        List<Long> newest = statements.numbers(NEWEST, sessionKey, limit);
        for (long seq : newest) {
            delete(sessionKey, seq);
        }
        return newest.size();
    }

    Optional<MessageRow> byId(long sessionKey, String id) throws SQLException {
        return statements.first(MessageTable::message, BY_ID, sessionKey, id);
    }

    Optional<MessageRow> bySeq(long sessionKey, long seq) throws SQLException {
        return statements.first(MessageTable::message, BY_SEQ, sessionKey, seq);
    }

    Optional<MessageRow> activeLeaf(long sessionKey) throws SQLException {
        return statements.first(MessageTable::message, ACTIVE_LEAF, sessionKey);
    }

    List<MessageRow> children(long sessionKey, long parentSeq, int limit) throws SQLException {
        return statements.list(MessageTable::message, CHILDREN, sessionKey, parentSeq, limit);
    }

    List<MessageRow> ancestors(long sessionKey, long seq, int limit) throws SQLException {
        return statements.list(MessageTable::message, ANCESTORS, sessionKey, seq, limit);
    }

    byte[] content(long sessionKey, long seq) throws SQLException {
        String whose = "message " + seq + " of session key " + sessionKey;
        Place place = place(sessionKey, seq).orElseThrow(() -> new SQLException("there is no " + whose));
        return contents.read(place, whose);
    }

    long count(long sessionKey) throws SQLException {
        return statements.number(COUNT, sessionKey);
    }

    private Optional<Place> place(long sessionKey, long seq) throws SQLException {
        return statements.first(
                row -> new Place(row.getLong(1), row.getLong(2), row.getLong(3)), PLACE, sessionKey, seq);
    }

    static MessageRow message(ResultSet row) throws SQLException {
        return new MessageRow(
                row.getLong(1),
                row.getLong(2),
                Statements.text(row, 3),
                row.getLong(4),
                Statements.text(row, 5),
                row.getLong(6),
                row.getLong(7),
                row.getLong(8));
    }
}
