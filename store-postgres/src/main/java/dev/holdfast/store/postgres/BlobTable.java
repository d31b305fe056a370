package dev.holdfast.store.postgres;

import dev.holdfast.store.BlobRow;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The binaries that messages name, their pieces, and which message names which. */
final class BlobTable {

    private static final String COLUMNS = "key, session, id, media_type, filename, bytes, refs, expires_at, created_at";
    private static final String SELECT = "SELECT " + COLUMNS + " FROM @blobs ";
    private static final String INSERT =
            "INSERT INTO @blobs (shard, " + COLUMNS + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    private static final String UPDATE = Pipeline.mustChange("""
            UPDATE @blobs SET session = ?, id = ?, media_type = ?, filename = ?, bytes = ?, refs = ?, expires_at = ?, created_at = ?
            WHERE shard = ? AND key = ?""");
    private static final String DELETE = """
            WITH pieces AS (DELETE FROM @blob_pieces WHERE shard = ? AND blob = ?)
            DELETE FROM @blobs WHERE shard = ? AND key = ?""";
    /** Binaries of a session, until they and their pieces are so many rows; always one. */
    private static final String PURGE = """
            WITH sized AS (
              SELECT key, bytes, sum(2 + bytes / ?) OVER (ORDER BY key) AS upto
              FROM (SELECT key, bytes FROM @blobs WHERE shard = ? AND session = ? ORDER BY key LIMIT ?) first),
            doomed AS (SELECT key, upto FROM sized WHERE upto - (2 + bytes / ?) < ?),
            pieces AS (DELETE FROM @blob_pieces p USING doomed WHERE p.shard = ? AND p.blob = doomed.key),
            gone AS (DELETE FROM @blobs b USING doomed WHERE b.shard = ? AND b.key = doomed.key)
            SELECT coalesce(max(upto), 0) FROM doomed""";

    private static final String BY_ID = SELECT + "WHERE shard = ? AND session = ? AND id = ?";
    private static final String BY_KEY = SELECT + "WHERE shard = ? AND key = ?";
    private static final String EXPIRED = """
            SELECT key FROM @blobs WHERE shard = ? AND expires_at > 0 AND expires_at <= ? ORDER BY expires_at LIMIT ?""";
    private static final String NEXT_EXPIRY =
            "SELECT expires_at FROM @blobs WHERE shard = ? AND expires_at > 0 ORDER BY expires_at LIMIT 1";

    private static final String INSERT_PIECE =
            "INSERT INTO @blob_pieces (shard, blob, piece, body) VALUES (?, ?, ?, ?)";
    private static final String PIECE = "SELECT body FROM @blob_pieces WHERE shard = ? AND blob = ? AND piece = ?";

    private static final String NAMES = "SELECT blob FROM @names WHERE shard = ? AND session = ? AND seq = ?";
    private static final String NAME = "INSERT INTO @names (shard, session, seq, blob) VALUES (?, ?, ?, ?)";
    private static final String UNNAME = "DELETE FROM @names WHERE shard = ? AND session = ? AND seq = ? AND blob = ?";
    private static final String COUNT_UP = Pipeline.mustChange(
            "UPDATE @blobs SET refs = refs + 1, expires_at = 0 WHERE shard = ? AND session = ? AND id = ?");
    private static final String COUNT_DOWN = """
            UPDATE @blobs SET refs = refs - 1, expires_at = CASE refs WHEN 1 THEN ? ELSE 0 END
            WHERE shard = ? AND session = ? AND id = ?""";
    /** Takes all names of a message away, and counts; for the deletion of messages, which need not ask first whether there are any. */
    private static final String UNNAME_ALL = """
            WITH taken AS (DELETE FROM @names WHERE shard = ? AND session = ? AND seq = ? RETURNING blob)
            UPDATE @blobs b SET refs = refs - 1, expires_at = CASE refs WHEN 1 THEN ? ELSE 0 END
            FROM taken WHERE b.shard = ? AND b.session = ? AND b.id = taken.blob""";

    private final Pipeline pipeline;
    private final int shard;

    BlobTable(Pipeline pipeline, int shard) {
        this.pipeline = pipeline;
        this.shard = shard;
    }

    void insert(BlobRow b) throws SQLException {
        pipeline.later(
                INSERT,
                shard,
                b.key(),
                b.sessionKey(),
                b.id(),
                b.mediaType(),
                b.filename(),
                b.bytes(),
                b.references(),
                b.expiresAt(),
                b.createdAt());
    }

    void update(BlobRow b) throws SQLException {
        pipeline.later(
                UPDATE,
                b.sessionKey(),
                b.id(),
                b.mediaType(),
                b.filename(),
                b.bytes(),
                b.references(),
                b.expiresAt(),
                b.createdAt(),
                shard,
                b.key());
    }

    void insertPiece(long key, int piece, byte[] bytes) throws SQLException {
        pipeline.later(INSERT_PIECE, shard, key, piece, bytes);
    }

    void delete(long key) throws SQLException {
        pipeline.later(DELETE, shard, key, shard, key);
    }

    /** Deletes binaries of a session until so many rows are gone; less than that means that none is left. */
    int purge(long sessionKey, int limit) throws SQLException {
        long piece = PostgresLimits.MAX_PIECE_BYTES;
        return (int) Math.min(
                limit, pipeline.number(PURGE, piece, shard, sessionKey, limit, piece, (long) limit, shard, shard));
    }

    Optional<BlobRow> byId(long sessionKey, String id) throws SQLException {
        return pipeline.first(BlobTable::blob, BY_ID, shard, sessionKey, id);
    }

    Optional<BlobRow> byKey(long key) throws SQLException {
        return pipeline.first(BlobTable::blob, BY_KEY, shard, key);
    }

    Optional<byte[]> piece(long key, int piece) throws SQLException {
        return pipeline.first(row -> Pipeline.blob(row, 1), PIECE, shard, key, piece);
    }

    List<Long> expired(long now, int limit) throws SQLException {
        return pipeline.numbers(EXPIRED, shard, now, limit);
    }

    long nextExpiry() throws SQLException {
        return pipeline.number(NEXT_EXPIRY, shard);
    }

    Set<String> named(long sessionKey, long seq) throws SQLException {
        return new LinkedHashSet<>(pipeline.list(row -> Pipeline.text(row, 1), NAMES, shard, sessionKey, seq));
    }

    void name(long sessionKey, long seq, Set<String> ids) throws SQLException {
        Set<String> before = named(sessionKey, seq);
        for (String id : before) {
            if (!ids.contains(id)) {
                pipeline.later(UNNAME, shard, sessionKey, seq, id);
                pipeline.later(COUNT_DOWN, BlobRow.EXPIRED, shard, sessionKey, id);
            }
        }
        for (String id : ids) {
            if (!before.contains(id)) {
                pipeline.later(NAME, shard, sessionKey, seq, id);
                pipeline.later(COUNT_UP, shard, sessionKey, id);
            }
        }
    }

    void unname(long sessionKey, long seq) throws SQLException {
        pipeline.later(UNNAME_ALL, shard, sessionKey, seq, BlobRow.EXPIRED, shard, sessionKey);
    }

    private static BlobRow blob(ResultSet row) throws SQLException {
        return new BlobRow(
                row.getLong(1),
                row.getLong(2),
                Pipeline.text(row, 3),
                Pipeline.text(row, 4),
                row.getString(5),
                row.getLong(6),
                row.getLong(7),
                row.getLong(8),
                row.getLong(9));
    }
}
