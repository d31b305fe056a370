package dev.holdfast.store.postgres;

import dev.holdfast.store.StreamQuery;
import dev.holdfast.store.StreamRow;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * Streams.
 *
 * <p>An update names every column; the server compares values, so that one which moves nothing an index knows of (sealing, fencing) stays on
 * its page and touches no index.
 */
final class StreamTable {

    private static final String COLUMNS =
            "key, tenant, name, incarnation, owner, state, error, tag, content_type, metadata, created_at, "
                    + "updated_at, closed_at, epoch, first_seq, sealed_to, tail, last_append_at, ttl, expires_at, marks, source, forks, "
                    + "lineage, max_age, max_bytes, sealed_bytes, trim_at";
    private static final String SELECT = "SELECT " + COLUMNS + " FROM @streams ";

    private static final String INSERT =
            "INSERT INTO @streams (shard, " + COLUMNS + ", gone) VALUES (?, ?, ?, ?, ?, ?, "
                    + "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    private static final String UPDATE = Pipeline.mustChange("""
            UPDATE @streams SET tenant = ?, name = ?, incarnation = ?, owner = ?, state = ?, error = ?, tag = ?, content_type = ?,
              metadata = ?, created_at = ?, updated_at = ?, closed_at = ?, epoch = ?, first_seq = ?, sealed_to = ?, tail = ?,
              last_append_at = ?, ttl = ?, expires_at = ?, marks = ?, source = ?, forks = ?, lineage = ?, max_age = ?, max_bytes = ?,
              sealed_bytes = ?, trim_at = ?, gone = ?
            WHERE shard = ? AND key = ?""");
    private static final String DELETE = "DELETE FROM @streams WHERE shard = ? AND key = ?";

    private static final String BY_NAME = SELECT + "WHERE shard = ? AND tenant = ? AND name = ? AND gone <> 1";
    private static final String BY_KEY = SELECT + "WHERE shard = ? AND key = ?";
    private static final String LIST = SELECT + """
            WHERE shard = ? AND tenant = ? AND gone = 0 AND (created_at, key) < (?, ?) AND (1 << state) & ? <> 0
            ORDER BY created_at DESC, key DESC LIMIT ?""";
    private static final String LIST_BY_TAG = SELECT + """
            WHERE shard = ? AND tenant = ? AND tag = ? AND gone = 0 AND (created_at, key) < (?, ?) AND (1 << state) & ? <> 0
            ORDER BY created_at DESC, key DESC LIMIT ?""";
    private static final String DISCARDED =
            "SELECT key FROM @streams WHERE shard = ? AND gone = 1 ORDER BY key LIMIT ?";
    private static final String EXPIRED = """
            SELECT key FROM @streams WHERE shard = ? AND expires_at > 0 AND gone = 0 AND expires_at <= ?
            ORDER BY expires_at LIMIT ?""";
    private static final String NEXT_EXPIRY = """
            SELECT expires_at FROM @streams WHERE shard = ? AND expires_at > 0 AND gone = 0 ORDER BY expires_at LIMIT 1""";
    private static final String TRIMMABLE = """
            SELECT key FROM @streams WHERE shard = ? AND trim_at > 0 AND gone = 0 AND trim_at <= ? ORDER BY trim_at LIMIT ?""";
    private static final String NEXT_TRIM =
            "SELECT trim_at FROM @streams WHERE shard = ? AND trim_at > 0 AND gone = 0 ORDER BY trim_at LIMIT 1";
    private static final String OWNED = """
            SELECT key FROM @streams WHERE shard = ? AND owner = ? AND owner > 0 AND gone = 0 ORDER BY key LIMIT ?""";

    private final Pipeline pipeline;
    private final int shard;

    StreamTable(Pipeline pipeline, int shard) {
        this.pipeline = pipeline;
        this.shard = shard;
    }

    void insert(StreamRow s) throws SQLException {
        pipeline.later(
                INSERT,
                shard,
                s.key(),
                s.tenant(),
                s.name(),
                s.incarnation(),
                s.owner(),
                s.state().code(),
                s.error(),
                s.tag(),
                s.contentType(),
                s.metadata(),
                s.createdAt(),
                s.updatedAt(),
                s.closedAt(),
                s.epoch(),
                s.firstSeq(),
                s.sealedTo(),
                s.tail(),
                s.lastAppendAt(),
                s.ttlMillis(),
                s.expiresAt(),
                s.marks(),
                s.kin().source(),
                s.kin().forks(),
                s.kin().lineage(),
                s.retained().maxAgeMillis(),
                s.retained().maxBytes(),
                s.retained().sealedBytes(),
                s.retained().trimAt(),
                gone(s));
    }

    void update(StreamRow s) throws SQLException {
        pipeline.later(
                UPDATE,
                s.tenant(),
                s.name(),
                s.incarnation(),
                s.owner(),
                s.state().code(),
                s.error(),
                s.tag(),
                s.contentType(),
                s.metadata(),
                s.createdAt(),
                s.updatedAt(),
                s.closedAt(),
                s.epoch(),
                s.firstSeq(),
                s.sealedTo(),
                s.tail(),
                s.lastAppendAt(),
                s.ttlMillis(),
                s.expiresAt(),
                s.marks(),
                s.kin().source(),
                s.kin().forks(),
                s.kin().lineage(),
                s.retained().maxAgeMillis(),
                s.retained().maxBytes(),
                s.retained().sealedBytes(),
                s.retained().trimAt(),
                gone(s),
                shard,
                s.key());
    }

    void delete(long key) throws SQLException {
        pipeline.later(DELETE, shard, key);
    }

    Optional<StreamRow> byName(String tenant, String name) throws SQLException {
        return pipeline.first(StreamTable::stream, BY_NAME, shard, tenant, name);
    }

    Optional<StreamRow> byKey(long key) throws SQLException {
        return pipeline.first(StreamTable::stream, BY_KEY, shard, key);
    }

    List<StreamRow> list(StreamQuery query) throws SQLException {
        StreamQuery.Position after = query.after();
        long createdAt = after == null ? Long.MAX_VALUE : after.createdAt();
        long key = after == null ? Long.MAX_VALUE : after.key();
        int states = 0;
        for (StreamRow.State state : query.states()) {
            states |= 1 << state.code();
        }
        String tag = query.tag();
        return tag == null
                ? pipeline.list(StreamTable::stream, LIST, shard, query.tenant(), createdAt, key, states, query.limit())
                : pipeline.list(
                        StreamTable::stream,
                        LIST_BY_TAG,
                        shard,
                        query.tenant(),
                        tag,
                        createdAt,
                        key,
                        states,
                        query.limit());
    }

    List<Long> discarded(int limit) throws SQLException {
        return pipeline.numbers(DISCARDED, shard, limit);
    }

    List<Long> expired(long now, int limit) throws SQLException {
        return pipeline.numbers(EXPIRED, shard, now, limit);
    }

    long nextExpiry() throws SQLException {
        return pipeline.number(NEXT_EXPIRY, shard);
    }

    List<Long> trimmable(long now, int limit) throws SQLException {
        return pipeline.numbers(TRIMMABLE, shard, now, limit);
    }

    long nextTrim() throws SQLException {
        return pipeline.number(NEXT_TRIM, shard);
    }

    List<Long> ownedBy(long sessionKey, int limit) throws SQLException {
        return pipeline.numbers(OWNED, shard, sessionKey, limit);
    }

    private static int gone(StreamRow stream) {
        return switch (stream.state()) {
            case LIVE, COMPLETED, ERRORED -> 0;
            case DISCARDED -> 1;
            case DELETED -> 2;
        };
    }

    private static StreamRow stream(ResultSet row) throws SQLException {
        return new StreamRow(
                row.getLong(1),
                Pipeline.text(row, 2),
                Pipeline.text(row, 3),
                row.getLong(4),
                row.getLong(5),
                StreamRow.State.of(row.getInt(6)),
                row.getString(7),
                row.getString(8),
                Pipeline.text(row, 9),
                Pipeline.blob(row, 10),
                row.getLong(11),
                row.getLong(12),
                row.getLong(13),
                row.getLong(14),
                row.getLong(15),
                row.getLong(16),
                row.getLong(17),
                row.getLong(18),
                row.getLong(19),
                row.getLong(20),
                Pipeline.blob(row, 21),
                new StreamRow.Kin(row.getLong(22), row.getLong(23), Pipeline.blob(row, 24)),
                new StreamRow.Retained(row.getLong(25), row.getLong(26), row.getLong(27), row.getLong(28)));
    }
}
