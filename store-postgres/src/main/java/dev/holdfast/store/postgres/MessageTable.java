package dev.holdfast.store.postgres;

import dev.holdfast.store.BlobRow;
import dev.holdfast.store.MessageRow;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** The messages, each with its place in its session's tree and the beginning of its content; see {@link PieceTable} for the rest. */
final class MessageTable {

    private static final String COLUMNS = "session, seq, id, parent, role, bytes, created_at, updated_at";
    private static final String SELECT = "SELECT " + COLUMNS + " FROM @messages ";

    private static final String INSERT =
            "INSERT INTO @messages (shard, " + COLUMNS + ", checksum, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    private static final String UPDATE = Pipeline.mustChange("""
            UPDATE @messages SET id = ?, parent = ?, role = ?, bytes = ?, created_at = ?, updated_at = ?, checksum = ?, body = ?
            WHERE shard = ? AND session = ? AND seq = ?""");
    private static final String MOVE =
            Pipeline.mustChange("UPDATE @messages SET parent = ? WHERE shard = ? AND session = ? AND seq = ?");
    private static final String DELETE = "DELETE FROM @messages WHERE shard = ? AND session = ? AND seq = ?";
    private static final String CLEAR = """
            WITH gone AS (
              DELETE FROM @messages WHERE shard = ? AND session = ? AND seq >= (
                SELECT min(seq) FROM (
                  SELECT seq FROM @messages WHERE shard = ? AND session = ? ORDER BY seq DESC LIMIT ?) newest)
              RETURNING seq, bytes),
            rest AS (
              DELETE FROM @pieces p USING gone
              WHERE gone.bytes > ? AND p.shard = ? AND p.session = ? AND p.owner = 'm:' || gone.seq),
            unsaid AS (
              DELETE FROM @words w USING gone WHERE w.shard = ? AND w.session = ? AND w.seq = gone.seq),
            taken AS (
              DELETE FROM @names n USING gone WHERE n.shard = ? AND n.session = ? AND n.seq = gone.seq RETURNING n.blob),
            counted AS (
              UPDATE @blobs b SET refs = refs - t.times, expires_at = CASE refs WHEN t.times THEN ? ELSE 0 END
              FROM (SELECT blob, count(*) AS times FROM taken GROUP BY blob) t
              WHERE b.shard = ? AND b.session = ? AND b.id = t.blob)
            SELECT count(*) FROM gone""";

    private static final String BY_ID = SELECT + "WHERE shard = ? AND session = ? AND id = ?";
    private static final String BY_SEQ = SELECT + "WHERE shard = ? AND session = ? AND seq = ?";
    private static final String ACTIVE_LEAF = SELECT + "WHERE shard = ? AND session = ? ORDER BY seq DESC LIMIT 1";
    private static final String CHILDREN =
            SELECT + "WHERE shard = ? AND session = ? AND parent = ? ORDER BY seq LIMIT ?";
    private static final String ANCESTORS = """
            WITH RECURSIVE path AS (
              SELECT shard, %1$s, 1 AS step FROM @messages WHERE shard = ? AND session = ? AND seq = ?
              UNION ALL
              SELECT m.shard, m.session, m.seq, m.id, m.parent, m.role, m.bytes, m.created_at, m.updated_at, path.step + 1
              FROM path JOIN @messages m ON m.shard = path.shard AND m.session = path.session AND m.seq = path.parent
              WHERE path.step < ?)
            SELECT %1$s FROM path ORDER BY step""".formatted(COLUMNS);
    private static final String COUNT = "SELECT count(*) FROM @messages WHERE shard = ? AND session = ?";
    private static final String CONTENT =
            "SELECT bytes, checksum, body FROM @messages WHERE shard = ? AND session = ? AND seq = ?";

    private final Pipeline pipeline;
    private final int shard;
    private final PieceTable pieces;
    private final WordTable words;
    private final BlobTable blobs;

    MessageTable(Pipeline pipeline, int shard, PieceTable pieces, WordTable words, BlobTable blobs) {
        this.pipeline = pipeline;
        this.shard = shard;
        this.pieces = pieces;
        this.words = words;
        this.blobs = blobs;
    }

    private record Beginning(long bytes, long checksum, byte[] body) {}

    void insert(MessageRow m, byte[] content) throws SQLException {
        pipeline.later(
                INSERT,
                shard,
                m.sessionKey(),
                m.seq(),
                m.id(),
                m.parentSeq(),
                m.role(),
                (long) content.length,
                m.createdAt(),
                m.updatedAt(),
                PieceTable.checksum(content),
                PieceTable.beginning(content));
        pieces.insertRest(m.sessionKey(), PieceTable.ofMessage(m.seq()), content);
    }

    void update(MessageRow m, byte[] content) throws SQLException {
        pipeline.later(
                UPDATE,
                m.id(),
                m.parentSeq(),
                m.role(),
                (long) content.length,
                m.createdAt(),
                m.updatedAt(),
                PieceTable.checksum(content),
                PieceTable.beginning(content),
                shard,
                m.sessionKey(),
                m.seq());
        pieces.replaceRest(m.sessionKey(), PieceTable.ofMessage(m.seq()), content);
    }

    void move(long sessionKey, long seq, long parentSeq) throws SQLException {
        pipeline.later(MOVE, parentSeq, shard, sessionKey, seq);
    }

    void delete(long sessionKey, long seq) throws SQLException {
        pipeline.later(DELETE, shard, sessionKey, seq);
        pieces.delete(sessionKey, PieceTable.ofMessage(seq));
        words.delete(sessionKey, seq);
        blobs.unname(sessionKey, seq);
    }

    int clear(long sessionKey, int limit) throws SQLException {
        return Math.toIntExact(pipeline.number(
                CLEAR,
                shard,
                sessionKey,
                shard,
                sessionKey,
                limit,
                (long) PostgresLimits.MAX_PIECE_BYTES,
                shard,
                sessionKey,
                shard,
                sessionKey,
                shard,
                sessionKey,
                BlobRow.EXPIRED,
                shard,
                sessionKey));
    }

    Optional<MessageRow> byId(long sessionKey, String id) throws SQLException {
        return pipeline.first(MessageTable::message, BY_ID, shard, sessionKey, id);
    }

    Optional<MessageRow> bySeq(long sessionKey, long seq) throws SQLException {
        return pipeline.first(MessageTable::message, BY_SEQ, shard, sessionKey, seq);
    }

    Optional<MessageRow> activeLeaf(long sessionKey) throws SQLException {
        return pipeline.first(MessageTable::message, ACTIVE_LEAF, shard, sessionKey);
    }

    List<MessageRow> children(long sessionKey, long parentSeq, int limit) throws SQLException {
        return pipeline.list(MessageTable::message, CHILDREN, shard, sessionKey, parentSeq, limit);
    }

    List<MessageRow> ancestors(long sessionKey, long seq, int limit) throws SQLException {
        return pipeline.list(MessageTable::message, ANCESTORS, shard, sessionKey, seq, limit);
    }

    byte[] content(long sessionKey, long seq) throws SQLException {
        String whose = "message " + seq + " of session key " + sessionKey;
        Beginning beginning = pipeline.first(
                        row -> new Beginning(row.getLong(1), row.getLong(2), Pipeline.blob(row, 3)),
                        CONTENT,
                        shard,
                        sessionKey,
                        seq)
                .orElseThrow(() -> new SQLException("there is no " + whose));
        byte[] content =
                pieces.whole(beginning.body(), beginning.bytes(), sessionKey, PieceTable.ofMessage(seq), whose);
        if (PieceTable.checksum(content) != beginning.checksum()) {
            throw PieceTable.changed(whose);
        }
        return content;
    }

    long count(long sessionKey) throws SQLException {
        return pipeline.number(COUNT, shard, sessionKey);
    }

    static MessageRow message(ResultSet row) throws SQLException {
        return new MessageRow(
                row.getLong(1),
                row.getLong(2),
                Pipeline.text(row, 3),
                row.getLong(4),
                Pipeline.text(row, 5),
                row.getLong(6),
                row.getLong(7),
                row.getLong(8));
    }
}
