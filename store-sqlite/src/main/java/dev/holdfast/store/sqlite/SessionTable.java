package dev.holdfast.store.sqlite;

import dev.holdfast.store.SessionRow;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Sessions. As with streams, an update names only the columns that moved, so that it touches no index it need not. */
final class SessionTable {

    private static final String SELECT =
            "SELECT key, tenant, id, deleted, created_at, updated_at, epoch, title FROM holdfast_sessions ";

    private static final String INSERT =
            "INSERT INTO holdfast_sessions (key, tenant, id, deleted, created_at, updated_at, epoch, title) VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
    private static final String UPDATE =
            "UPDATE holdfast_sessions SET created_at = ?, epoch = ?, title = ? WHERE key = ?";
    private static final String UPDATE_ACTIVITY = "UPDATE holdfast_sessions SET updated_at = ? WHERE key = ?";
    private static final String UPDATE_IDENTITY =
            "UPDATE holdfast_sessions SET tenant = ?, id = ?, deleted = ? WHERE key = ?";
    private static final String DELETE = "DELETE FROM holdfast_sessions WHERE key = ?";

    private static final String BY_ID = SELECT + "WHERE tenant = ? AND id = ? AND deleted = 0";
    private static final String BY_KEY = SELECT + "WHERE key = ?";
    private static final String LIST = SELECT + """
            WHERE tenant = ? AND deleted = 0 AND (updated_at, key) < (?, ?)
            ORDER BY updated_at DESC, key DESC LIMIT ?""";
    private static final String DELETED = "SELECT key FROM holdfast_sessions WHERE deleted = 1 ORDER BY key LIMIT ?";

    private final Statements statements;

    SessionTable(Statements statements) {
        this.statements = statements;
    }

    void insert(SessionRow s) throws SQLException {
        statements.update(
                INSERT, s.key(), s.tenant(), s.id(), s.deleted(), s.createdAt(), s.updatedAt(), s.epoch(), s.title());
    }

    void update(SessionRow s) throws SQLException {
        SessionRow before = byKey(s.key())
                .orElseThrow(() -> new SQLException("there is no session of key " + s.key() + " to update"));
        if (before.createdAt() != s.createdAt()
                || before.epoch() != s.epoch()
                || !Objects.equals(before.title(), s.title())) {
            statements.updateOne(UPDATE, s.createdAt(), s.epoch(), s.title(), s.key());
        }
        if (before.updatedAt() != s.updatedAt()) {
            statements.updateOne(UPDATE_ACTIVITY, s.updatedAt(), s.key());
        }
        if (before.deleted() != s.deleted()
                || !before.tenant().equals(s.tenant())
                || !before.id().equals(s.id())) {
            statements.updateOne(UPDATE_IDENTITY, s.tenant(), s.id(), s.deleted(), s.key());
        }
    }

    void delete(long key) throws SQLException {
        statements.update(DELETE, key);
    }

    Optional<SessionRow> byId(String tenant, String id) throws SQLException {
        return statements.first(SessionTable::session, BY_ID, tenant, id);
    }

    Optional<SessionRow> byKey(long key) throws SQLException {
        return statements.first(SessionTable::session, BY_KEY, key);
    }

    List<SessionRow> list(String tenant, long beforeUpdatedAt, long beforeKey, int limit) throws SQLException {
        return statements.list(SessionTable::session, LIST, tenant, beforeUpdatedAt, beforeKey, limit);
    }

    List<Long> deleted(int limit) throws SQLException {
        return statements.numbers(DELETED, limit);
    }

    private static SessionRow session(ResultSet row) throws SQLException {
        return new SessionRow(
                row.getLong(1),
                Statements.text(row, 2),
                Statements.text(row, 3),
                row.getInt(4) != 0,
                row.getLong(5),
                row.getLong(6),
                row.getLong(7),
                row.getString(8));
    }
}
