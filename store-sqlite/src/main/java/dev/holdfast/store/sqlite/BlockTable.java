package dev.holdfast.store.sqlite;

import dev.holdfast.store.BlockInfo;
import dev.holdfast.store.BlockRow;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * Sealed blocks, in the order in which they were written; a small index finds them by stream.
 *
 * <p>A body is up to 256 KiB, far more than a page. In the order of writing, a block costs its own pages and one page of the index,
 * whatever stream it belongs to; clustered by stream it would split the leaves of a table whose rows fill pages by the dozen.
 */
final class BlockTable {

    private static final String INSERT =
            "INSERT INTO holdfast_blocks (stream, from_seq, to_seq, last_at, bytes_to, body) VALUES (?, ?, ?, ?, ?, ?)";
    private static final String HOLDING = """
            SELECT stream, from_seq, to_seq, last_at, bytes_to, body FROM holdfast_blocks
            WHERE stream = ? AND from_seq <= ? ORDER BY from_seq DESC LIMIT 1""";
    private static final String ABOVE = """
            SELECT from_seq, to_seq, last_at, bytes_to FROM holdfast_blocks
            WHERE stream = ?1 AND to_seq > ?2 AND from_seq >= coalesce(
              (SELECT max(from_seq) FROM holdfast_blocks WHERE stream = ?1 AND from_seq <= ?2), 0)
            ORDER BY from_seq LIMIT ?3""";
    private static final String DELETE = """
            DELETE FROM holdfast_blocks WHERE id IN (
              SELECT id FROM holdfast_blocks WHERE stream = ? AND from_seq < ? AND to_seq <= ?
              ORDER BY from_seq LIMIT ?)""";

    private final Statements statements;

    BlockTable(Statements statements) {
        this.statements = statements;
    }

    void insert(BlockRow block) throws SQLException {
        statements.update(
                INSERT,
                block.streamKey(),
                block.fromSeq(),
                block.toSeq(),
                block.lastAt(),
                block.bytesTo(),
                block.body());
    }

    Optional<BlockRow> holding(long streamKey, long seq) throws SQLException {
        return statements.first(BlockTable::block, HOLDING, streamKey, seq).filter(block -> seq < block.toSeq());
    }

    List<BlockInfo> above(long streamKey, long seq, int limit) throws SQLException {
        return statements.list(
                row -> new BlockInfo(row.getLong(1), row.getLong(2), row.getLong(3), row.getLong(4)),
                ABOVE,
                streamKey,
                seq,
                limit);
    }

    int delete(long streamKey, long belowSeq, int limit) throws SQLException {
        return statements.update(DELETE, streamKey, belowSeq, belowSeq, limit);
    }

    private static BlockRow block(ResultSet row) throws SQLException {
        return new BlockRow(
                row.getLong(1),
                row.getLong(2),
                row.getLong(3),
                row.getLong(4),
                row.getLong(5),
                Statements.blob(row, 6));
    }
}
