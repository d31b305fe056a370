package dev.holdfast.store.sqlite;

import dev.holdfast.error.HoldfastException.StoreDamaged;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * What messages and turns carry: opaque bytes, kept apart from the rows that describe them, in the order of writing.
 *
 * <p>A small content shares its page with what was written just before it, which for a turn is the other content of the same turn; and
 * walking a conversation's headers reads no content. A content of more than {@link SqliteLimits#MAX_PIECE_BYTES} occupies consecutive
 * rows. Its owner keeps the first row's id, the size and a checksum, from which everything else follows; so the table needs no index.
 */
final class ContentTable {

    private static final String NEXT = "SELECT max(id) + 1 FROM holdfast_contents";
    private static final String INSERT = "INSERT INTO holdfast_contents (id, data) VALUES (?, ?)";
    private static final String UPDATE = "UPDATE holdfast_contents SET data = ? WHERE id = ?";
    private static final String SELECT = "SELECT data FROM holdfast_contents WHERE id >= ? AND id < ? ORDER BY id";
    private static final String DELETE = "DELETE FROM holdfast_contents WHERE id >= ? AND id < ?";

    private final Statements statements;

    ContentTable(Statements statements) {
        this.statements = statements;
    }

    /** Where a content is and what it must be: the id of its first row, its size, and its CRC-32C. */
    record Place(long id, long bytes, long checksum) {

        int pieces() {
            return Math.max(
                    1, Math.toIntExact((bytes + SqliteLimits.MAX_PIECE_BYTES - 1) / SqliteLimits.MAX_PIECE_BYTES));
        }
    }

    Place insert(byte[] content) throws SQLException {
        if (content.length > SqliteLimits.MAX_CONTENT_BYTES) {
            throw new SQLException(
                    "a content of " + content.length + " bytes is larger than " + SqliteLimits.MAX_CONTENT_BYTES);
        }
        Place place = new Place(Math.max(1, statements.number(NEXT)), content.length, checksum(content));
        if (place.pieces() == 1) {
            statements.update(INSERT, place.id(), content);
            return place;
        }
        for (int piece = 0; piece < place.pieces(); piece++) {
            int from = piece * SqliteLimits.MAX_PIECE_BYTES;
            int to = Math.min(content.length, from + SqliteLimits.MAX_PIECE_BYTES);
            statements.update(INSERT, place.id() + piece, Arrays.copyOfRange(content, from, to));
        }
        return place;
    }

    /** Replaces a content; one piece by one piece is done in place, which touches the fewest pages. */
    Place replace(Place old, byte[] content) throws SQLException {
        if (old.pieces() == 1 && content.length <= SqliteLimits.MAX_PIECE_BYTES) {
            statements.updateOne(UPDATE, content, old.id());
            return new Place(old.id(), content.length, checksum(content));
        }
        delete(old);
        return insert(content);
    }

    /**
     * Reads a content.
     *
     * @param whose names the owner in the message of the error
     * @throws StoreDamaged if a piece is missing, or is not what was written
     */
    byte[] read(Place place, String whose) throws SQLException {
        List<byte[]> pieces =
                statements.list(row -> Statements.blob(row, 1), SELECT, place.id(), place.id() + place.pieces());
        long found = 0;
        for (byte[] piece : pieces) {
            found += piece.length;
        }
        if (pieces.size() != place.pieces() || found != place.bytes()) {
            throw new StoreDamaged(
                    "The content of %s should be %d bytes in %d rows, but %d bytes in %d rows are there. Restore the store from a backup."
                            .formatted(whose, place.bytes(), place.pieces(), found, pieces.size()));
        }
        byte[] content = pieces.size() == 1 ? pieces.getFirst() : join(pieces, place);
        if (checksum(content) != place.checksum()) {
            throw new StoreDamaged(
                    "The content of %s is not what was written: its checksum does not match. Restore the store from a backup."
                            .formatted(whose));
        }
        return content;
    }

    private static byte[] join(List<byte[]> pieces, Place place) {
        byte[] content = new byte[Math.toIntExact(place.bytes())];
        int at = 0;
        for (byte[] piece : pieces) {
            System.arraycopy(piece, 0, content, at, piece.length);
            at += piece.length;
        }
        return content;
    }

    private static long checksum(byte[] content) {
        CRC32C crc = new CRC32C();
        crc.update(content);
        return crc.getValue();
    }

    void delete(Place place) throws SQLException {
        statements.update(DELETE, place.id(), place.id() + place.pieces());
    }
}
