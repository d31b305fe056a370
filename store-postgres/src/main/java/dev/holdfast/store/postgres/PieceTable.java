package dev.holdfast.store.postgres;

import dev.holdfast.error.HoldfastException.StoreDamaged;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The rest of a content of more than {@link PostgresLimits#MAX_PIECE_BYTES}. The beginning of every content lies in its owner's row, with the
 * size; so most contents are written and read with one statement, and this table is small.
 */
final class PieceTable {

    private static final String INSERT =
            "INSERT INTO @pieces (shard, session, owner, piece, body) VALUES (?, ?, ?, ?, ?)";
    private static final String SELECT = """
            SELECT body FROM @pieces WHERE shard = ? AND session = ? AND owner = ? ORDER BY piece""";
    private static final String DELETE = "DELETE FROM @pieces WHERE shard = ? AND session = ? AND owner = ?";

    private final Pipeline pipeline;
    private final int shard;

    PieceTable(Pipeline pipeline, int shard) {
        this.pipeline = pipeline;
        this.shard = shard;
    }

    static String ofMessage(long seq) {
        return "m:" + seq;
    }

    static String ofTurn(String id) {
        return "t:" + id;
    }

    /** The part of a content that lies in its owner's row. */
    static byte[] beginning(byte[] content) throws SQLException {
        if (content.length > PostgresLimits.MAX_CONTENT_BYTES) {
            throw new SQLException(
                    "a content of " + content.length + " bytes is larger than " + PostgresLimits.MAX_CONTENT_BYTES);
        }
        return content.length <= PostgresLimits.MAX_PIECE_BYTES
                ? content
                : Arrays.copyOf(content, PostgresLimits.MAX_PIECE_BYTES);
    }

    static long checksum(byte[] content) {
        CRC32C crc = new CRC32C();
        crc.update(content);
        return crc.getValue();
    }

    /** Writes what the owner's row does not hold. */
    void insertRest(long sessionKey, String owner, byte[] content) throws SQLException {
        int piece = 1;
        for (int from = PostgresLimits.MAX_PIECE_BYTES; from < content.length; piece++) {
            int to = (int) Math.min(content.length, (long) from + PostgresLimits.MAX_PIECE_BYTES);
            pipeline.later(INSERT, shard, sessionKey, owner, piece, Arrays.copyOfRange(content, from, to));
            from = to;
        }
    }

    void replaceRest(long sessionKey, String owner, byte[] content) throws SQLException {
        delete(sessionKey, owner);
        insertRest(sessionKey, owner, content);
    }

    void delete(long sessionKey, String owner) throws SQLException {
        pipeline.later(DELETE, shard, sessionKey, owner);
    }

    /**
     * Puts a content together.
     *
     * @param bytes its size, as the owner's row says
     * @param whose names the owner in the message of the error
     * @throws StoreDamaged if something of it is missing
     */
    byte[] whole(byte[] beginning, long bytes, long sessionKey, String owner, String whose) throws SQLException {
        if (bytes <= PostgresLimits.MAX_PIECE_BYTES) {
            checkSize(beginning.length, bytes, whose);
            return beginning;
        }
        List<byte[]> rest = pipeline.list(row -> Pipeline.blob(row, 1), SELECT, shard, sessionKey, owner);
        long found = beginning.length;
        for (byte[] piece : rest) {
            found += piece.length;
        }
        checkSize(found, bytes, whose);
        byte[] content = Arrays.copyOf(beginning, Math.toIntExact(bytes));
        int at = beginning.length;
        for (byte[] piece : rest) {
            System.arraycopy(piece, 0, content, at, piece.length);
            at += piece.length;
        }
        return content;
    }

    private static void checkSize(long found, long expected, String whose) {
        if (found != expected) {
            throw new StoreDamaged(
                    "The content of %s should be %d bytes, but %d are there. Restore the database from a backup."
                            .formatted(whose, expected, found));
        }
    }

    static StoreDamaged changed(String whose) {
        return new StoreDamaged(
                "The content of %s is not what was written: its checksum does not match. Restore the database from a backup."
                        .formatted(whose));
    }
}
