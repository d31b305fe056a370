package dev.holdfast.store.postgres;

import dev.holdfast.store.SessionRow;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** Sessions. */
final class SessionTable {

    private static final String SELECT =
            "SELECT key, tenant, id, deleted, created_at, updated_at, epoch, title FROM @sessions ";

    private static final String INSERT = """
            INSERT INTO @sessions (shard, key, tenant, id, deleted, created_at, updated_at, epoch, title)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)""";
    private static final String UPDATE = Pipeline.mustChange("""
            UPDATE @sessions SET tenant = ?, id = ?, deleted = ?, created_at = ?, updated_at = ?, epoch = ?, title = ?
            WHERE shard = ? AND key = ?""");
    private static final String DELETE = "DELETE FROM @sessions WHERE shard = ? AND key = ?";

    private static final String BY_ID = SELECT + "WHERE shard = ? AND tenant = ? AND id = ? AND NOT deleted";
    private static final String BY_KEY = SELECT + "WHERE shard = ? AND key = ?";
    private static final String LIST = SELECT + """
            WHERE shard = ? AND tenant = ? AND NOT deleted AND (updated_at, key) < (?, ?)
            ORDER BY updated_at DESC, key DESC LIMIT ?""";
    private static final String DELETED = "SELECT key FROM @sessions WHERE shard = ? AND deleted ORDER BY key LIMIT ?";

    private final Pipeline pipeline;
    private final int shard;

    SessionTable(Pipeline pipeline, int shard) {
        this.pipeline = pipeline;
        this.shard = shard;
    }

    void insert(SessionRow s) throws SQLException {
        pipeline.later(
                INSERT,
                shard,
                s.key(),
                s.tenant(),
                s.id(),
                s.deleted(),
                s.createdAt(),
                s.updatedAt(),
                s.epoch(),
                s.title());
    }

    void update(SessionRow s) throws SQLException {
        pipeline.later(
                UPDATE,
                s.tenant(),
                s.id(),
                s.deleted(),
                s.createdAt(),
                s.updatedAt(),
                s.epoch(),
                s.title(),
                shard,
                s.key());
    }

    void delete(long key) throws SQLException {
        pipeline.later(DELETE, shard, key);
    }

    Optional<SessionRow> byId(String tenant, String id) throws SQLException {
        return pipeline.first(SessionTable::session, BY_ID, shard, tenant, id);
    }

    Optional<SessionRow> byKey(long key) throws SQLException {
        return pipeline.first(SessionTable::session, BY_KEY, shard, key);
    }

    List<SessionRow> list(String tenant, long beforeUpdatedAt, long beforeKey, int limit) throws SQLException {
        return pipeline.list(SessionTable::session, LIST, shard, tenant, beforeUpdatedAt, beforeKey, limit);
    }

    List<Long> deleted(int limit) throws SQLException {
        return pipeline.numbers(DELETED, shard, limit);
    }

    private static SessionRow session(ResultSet row) throws SQLException {
        return new SessionRow(
                row.getLong(1),
                Pipeline.text(row, 2),
                Pipeline.text(row, 3),
                row.getBoolean(4),
                row.getLong(5),
                row.getLong(6),
                row.getLong(7),
                row.getString(8));
    }
}
