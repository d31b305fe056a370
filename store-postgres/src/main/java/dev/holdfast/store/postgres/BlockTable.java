package dev.holdfast.store.postgres;

import dev.holdfast.store.BlockInfo;
import dev.holdfast.store.BlockRow;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** Sealed blocks. Their bodies lie out of line, so that the rows and the index by stream are small. */
final class BlockTable {

    private static final String INSERT =
            "INSERT INTO @blocks (shard, stream, from_seq, to_seq, last_at, bytes_to, body) VALUES (?, ?, ?, ?, ?, ?, ?)";
    private static final String HOLDING = """
            SELECT stream, from_seq, to_seq, last_at, bytes_to, body FROM @blocks
            WHERE shard = ? AND stream = ? AND from_seq <= ? ORDER BY from_seq DESC LIMIT 1""";
    private static final String ABOVE = """
            SELECT from_seq, to_seq, last_at, bytes_to FROM @blocks
            WHERE shard = ? AND stream = ? AND to_seq > ? AND from_seq >= coalesce(
              (SELECT max(from_seq) FROM @blocks WHERE shard = ? AND stream = ? AND from_seq <= ?), 0)
            ORDER BY from_seq LIMIT ?""";
    private static final String DELETE = """
            DELETE FROM @blocks WHERE shard = ? AND stream = ? AND from_seq <= (
              SELECT max(from_seq) FROM (
                SELECT from_seq FROM @blocks WHERE shard = ? AND stream = ? AND from_seq < ? AND to_seq <= ?
                ORDER BY from_seq LIMIT ?) oldest)""";

    private final Pipeline pipeline;
    private final int shard;

    BlockTable(Pipeline pipeline, int shard) {
        this.pipeline = pipeline;
        this.shard = shard;
    }

    void insert(BlockRow block) throws SQLException {
        pipeline.later(
                INSERT,
                shard,
                block.streamKey(),
                block.fromSeq(),
                block.toSeq(),
                block.lastAt(),
                block.bytesTo(),
                block.body());
    }

    Optional<BlockRow> holding(long streamKey, long seq) throws SQLException {
        return pipeline.first(BlockTable::block, HOLDING, shard, streamKey, seq).filter(block -> seq < block.toSeq());
    }

    List<BlockInfo> above(long streamKey, long seq, int limit) throws SQLException {
        return pipeline.list(
                row -> new BlockInfo(row.getLong(1), row.getLong(2), row.getLong(3), row.getLong(4)),
                ABOVE,
                shard,
                streamKey,
                seq,
                shard,
                streamKey,
                seq,
                limit);
    }

    int delete(long streamKey, long belowSeq, int limit) throws SQLException {
        return pipeline.update(DELETE, shard, streamKey, shard, streamKey, belowSeq, belowSeq, limit);
    }

    private static BlockRow block(ResultSet row) throws SQLException {
        return new BlockRow(
                row.getLong(1), row.getLong(2), row.getLong(3), row.getLong(4), row.getLong(5), Pipeline.blob(row, 6));
    }
}
