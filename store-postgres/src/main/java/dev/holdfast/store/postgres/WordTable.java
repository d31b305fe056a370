package dev.holdfast.store.postgres;

import dev.holdfast.store.MessageRow;
import dev.holdfast.store.WordQuery;
import dev.holdfast.store.WordQuery.Found;
import dev.holdfast.store.WordsRow;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The words of messages as the server's own search keeps them. Words come folded, so no dictionary looks at them. */
final class WordTable {

    private static final String PUT = """
            INSERT INTO @words (shard, session, seq, doc, words)
            SELECT ?, ?, ?, coalesce(max(doc) + 1, ?), array_to_tsvector(string_to_array(?, ' '))
            FROM @words WHERE shard = ? AND doc >= ? AND doc < ?
            ON CONFLICT (shard, session, seq) DO UPDATE SET words = excluded.words""";
    private static final String DELETE = "DELETE FROM @words WHERE shard = ? AND session = ? AND seq = ?";
    private static final String FIND = """
            SELECT w.doc, w.session, w.seq
            FROM @words w JOIN @sessions s ON s.shard = w.shard AND s.key = w.session
            WHERE w.shard = ? AND w.words @@ ?::tsquery AND w.doc < ? AND s.tenant = ? AND NOT s.deleted
            ORDER BY w.doc DESC LIMIT ?""";
    private static final String WITHOUT_WORDS = """
            SELECT m.session, m.seq, m.id, m.parent, m.role, m.bytes, m.created_at, m.updated_at
            FROM @unsearched u JOIN @messages m ON m.shard = u.shard AND (m.session, m.seq) < (u.session, u.seq)
            WHERE u.shard = ?
              AND NOT EXISTS (SELECT 1 FROM @words w WHERE w.shard = m.shard AND w.session = m.session AND w.seq = m.seq)
            ORDER BY m.session DESC, m.seq DESC LIMIT ?""";
    private static final String PASS_OVER = "UPDATE @unsearched SET session = ?, seq = ? WHERE shard = ?";

    private final Pipeline pipeline;
    private final int shard;

    WordTable(Pipeline pipeline, int shard) {
        this.pipeline = pipeline;
        this.shard = shard;
    }

    void put(WordsRow row) throws SQLException {
        if (row.words().isEmpty()) {
            delete(row.sessionKey(), row.seq());
            return;
        }
        long first = Math.max(1, row.createdAt() * WordQuery.POSITIONS_PER_MILLI);
        pipeline.later(
                PUT,
                shard,
                row.sessionKey(),
                row.seq(),
                first,
                row.words(),
                shard,
                first,
                first + WordQuery.POSITIONS_PER_MILLI);
    }

    void delete(long sessionKey, long seq) throws SQLException {
        pipeline.later(DELETE, shard, sessionKey, seq);
    }

    List<Found> find(WordQuery query) throws SQLException {
        String words = Stream.concat(
                        query.words().stream().map(word -> "'" + word + "'"),
                        query.beginnings().stream().map(word -> "'" + word + "':*"))
                .collect(Collectors.joining(" & "));
        return pipeline.list(
                row -> new Found(row.getLong(1), row.getLong(2), row.getLong(3)),
                FIND,
                shard,
                words,
                query.before(),
                query.tenant(),
                query.limit());
    }

    List<MessageRow> without(int limit) throws SQLException {
        return pipeline.list(MessageTable::message, WITHOUT_WORDS, shard, limit);
    }

    void passOver(MessageRow row) throws SQLException {
        pipeline.later(PASS_OVER, row.sessionKey(), row.seq(), shard);
    }
}
