package dev.holdfast.store.sqlite;

import dev.holdfast.store.BlobRow;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The binaries that messages name, their pieces, and which message names which. The row number of a piece is made of its binary's key, so that
 * the pieces of a binary are found, and deleted, as one range.
 */
final class BlobTable {

    /** Pieces that one binary may have. */
    private static final int MAX_PIECES = 256;

    private static final String SELECT =
            "SELECT key, session, id, media_type, filename, bytes, refs, expires_at, created_at FROM holdfast_blobs ";
    private static final String INSERT =
            "INSERT INTO holdfast_blobs (key, session, id, media_type, filename, bytes, refs, expires_at, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
    private static final String UPDATE = """
            UPDATE holdfast_blobs SET session = ?, id = ?, media_type = ?, filename = ?, bytes = ?, refs = ?, expires_at = ?, created_at = ?
            WHERE key = ?""";
    private static final String DELETE = "DELETE FROM holdfast_blobs WHERE key = ?";
    private static final String BY_ID = SELECT + "WHERE session = ? AND id = ?";
    private static final String BY_KEY = SELECT + "WHERE key = ?";
    private static final String OF_SESSION = "SELECT key FROM holdfast_blobs WHERE session = ? LIMIT 1";
    private static final String EXPIRED = """
            SELECT key FROM holdfast_blobs WHERE expires_at > 0 AND expires_at <= ? ORDER BY expires_at LIMIT ?""";
    private static final String NEXT_EXPIRY =
            "SELECT expires_at FROM holdfast_blobs WHERE expires_at > 0 ORDER BY expires_at LIMIT 1";

    private static final String INSERT_PIECE = "INSERT INTO holdfast_blob_pieces (id, data) VALUES (?, ?)";
    private static final String PIECE = "SELECT data FROM holdfast_blob_pieces WHERE id = ?";
    private static final String DELETE_PIECES = "DELETE FROM holdfast_blob_pieces WHERE id >= ? AND id < ?";

    private static final String NAMES = "SELECT blob FROM holdfast_names WHERE session = ? AND seq = ?";
    private static final String NAME = "INSERT INTO holdfast_names (session, seq, blob) VALUES (?, ?, ?)";
    private static final String UNNAME = "DELETE FROM holdfast_names WHERE session = ? AND seq = ? AND blob = ?";
    private static final String COUNT_UP =
            "UPDATE holdfast_blobs SET refs = refs + 1, expires_at = 0 WHERE session = ? AND id = ?";
    private static final String COUNT_DOWN = """
            UPDATE holdfast_blobs SET refs = refs - 1, expires_at = CASE refs WHEN 1 THEN ? ELSE 0 END
            WHERE session = ? AND id = ?""";

    private final Statements statements;

    BlobTable(Statements statements) {
        this.statements = statements;
    }

    void insert(BlobRow b) throws SQLException {
        statements.update(
                INSERT,
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
        statements.updateOne(
                UPDATE,
                b.sessionKey(),
                b.id(),
                b.mediaType(),
                b.filename(),
                b.bytes(),
                b.references(),
                b.expiresAt(),
                b.createdAt(),
                b.key());
    }

    void insertPiece(long key, int piece, byte[] bytes) throws SQLException {
        if (piece < 0 || piece >= MAX_PIECES) {
            throw new SQLException("piece " + piece + " of a binary, at most " + MAX_PIECES);
        }
        statements.update(INSERT_PIECE, key * MAX_PIECES + piece, bytes);
    }

    /** Returns how many rows there were. */
    int delete(long key) throws SQLException {
        int pieces = statements.update(DELETE_PIECES, key * MAX_PIECES, (key + 1) * MAX_PIECES);
        return pieces + statements.update(DELETE, key);
    }

    /** Deletes binaries of a session until so many rows are gone; less than that means that none is left. */
    int purge(long sessionKey, int limit) throws SQLException {
        int deleted = 0;
        while (deleted < limit) {
            long key = statements.number(OF_SESSION, sessionKey);
            if (key == 0) {
                return deleted;
            }
            deleted += delete(key);
        }
        return limit;
    }

    Optional<BlobRow> byId(long sessionKey, String id) throws SQLException {
        return statements.first(BlobTable::blob, BY_ID, sessionKey, id);
    }

    Optional<BlobRow> byKey(long key) throws SQLException {
        return statements.first(BlobTable::blob, BY_KEY, key);
    }

    Optional<byte[]> piece(long key, int piece) throws SQLException {
        return piece < 0 || piece >= MAX_PIECES
                ? Optional.empty()
                : statements.first(row -> Statements.blob(row, 1), PIECE, key * MAX_PIECES + piece);
    }

    List<Long> expired(long now, int limit) throws SQLException {
        return statements.numbers(EXPIRED, now, limit);
    }

    long nextExpiry() throws SQLException {
        return statements.number(NEXT_EXPIRY);
    }

    Set<String> named(long sessionKey, long seq) throws SQLException {
        return new LinkedHashSet<>(statements.list(row -> Statements.text(row, 1), NAMES, sessionKey, seq));
    }

    void name(long sessionKey, long seq, Set<String> ids) throws SQLException {
        Set<String> before = named(sessionKey, seq);
        for (String id : before) {
            if (!ids.contains(id)) {
                statements.updateOne(UNNAME, sessionKey, seq, id);
                statements.updateOne(COUNT_DOWN, BlobRow.EXPIRED, sessionKey, id);
            }
        }
        for (String id : ids) {
            if (!before.contains(id)) {
                statements.update(NAME, sessionKey, seq, id);
                statements.updateOne(COUNT_UP, sessionKey, id);
            }
        }
    }

    private static BlobRow blob(ResultSet row) throws SQLException {
        return new BlobRow(
                row.getLong(1),
                row.getLong(2),
                Statements.text(row, 3),
                Statements.text(row, 4),
                row.getString(5),
                row.getLong(6),
                row.getLong(7),
                row.getLong(8),
                row.getLong(9));
    }
}
