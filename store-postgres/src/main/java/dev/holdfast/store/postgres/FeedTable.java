package dev.holdfast.store.postgres;

import dev.holdfast.store.FeedRow;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/** The sessions' feeds. Trimming spares the newest event, from which the numbering goes on; the numbers are dense. */
final class FeedTable {

    private static final String INSERT =
            "INSERT INTO @feed (shard, session, seq, kind, at, message, turn, detail) VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
    private static final String FROM = """
            SELECT session, seq, kind, at, message, turn, detail FROM @feed
            WHERE shard = ? AND session = ? AND seq >= ? ORDER BY seq LIMIT ?""";
    private static final String FIRST = "SELECT min(seq) FROM @feed WHERE shard = ? AND session = ?";
    private static final String NEXT = "SELECT max(seq) + 1 FROM @feed WHERE shard = ? AND session = ?";
    private static final String TRIM = """
            DELETE FROM @feed WHERE shard = ? AND session = ? AND seq < least(?::bigint,
              (SELECT max(seq) FROM @feed WHERE shard = ? AND session = ?),
              (SELECT min(seq) + ? FROM @feed WHERE shard = ? AND session = ?))""";
    private static final String PURGE = """
            DELETE FROM @feed WHERE shard = ? AND session = ?
              AND seq < (SELECT min(seq) + ? FROM @feed WHERE shard = ? AND session = ?)""";

    private final Pipeline pipeline;
    private final int shard;

    FeedTable(Pipeline pipeline, int shard) {
        this.pipeline = pipeline;
        this.shard = shard;
    }

    void append(FeedRow f) throws SQLException {
        pipeline.later(
                INSERT, shard, f.sessionKey(), f.seq(), f.kind().code(), f.at(), f.messageId(), f.turnId(), f.detail());
    }

    List<FeedRow> from(long sessionKey, long seq, int limit) throws SQLException {
        return pipeline.list(FeedTable::event, FROM, shard, sessionKey, seq, limit);
    }

    long first(long sessionKey) throws SQLException {
        return pipeline.number(FIRST, shard, sessionKey);
    }

    long next(long sessionKey) throws SQLException {
        return pipeline.number(NEXT, shard, sessionKey);
    }

    int trim(long sessionKey, long belowSeq, int limit) throws SQLException {
        return pipeline.update(TRIM, shard, sessionKey, belowSeq, shard, sessionKey, (long) limit, shard, sessionKey);
    }

    /** Deletes the oldest events of a session that goes away, the newest one too. */
    int purge(long sessionKey, int limit) throws SQLException {
        return pipeline.update(PURGE, shard, sessionKey, (long) limit, shard, sessionKey);
    }

    private static FeedRow event(ResultSet row) throws SQLException {
        return new FeedRow(
                row.getLong(1),
                row.getLong(2),
                FeedRow.Kind.of(row.getInt(3)),
                row.getLong(4),
                row.getString(5),
                row.getString(6),
                row.getString(7));
    }
}
