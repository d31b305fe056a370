package dev.holdfast.store.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Who may write which shard.
 *
 * <p><b>Taking.</b> A first statement looks and locks nothing, as most tries find the shard held. The second raises the epoch, but only from
 * the one that was seen: of two nodes that saw the same, the later finds another epoch when it has waited for the earlier. (To compare the
 * holder alone would not do: the server looks again at a row it waited for, but at the nodes as they were when the statement began.) It waits
 * as well for the commits of the holder before, which lock the row FOR SHARE; so each of them comes before the new epoch or is refused.
 *
 * <p><b>Unknown fate.</b> If the answer to the second statement is lost, the lease may be held without anybody knowing. The epoch it would
 * have is remembered, and the next try finds it (ONE-WRITER: nobody else was told of it).
 */
final class LeaseTable {

    private static final String ALIVE =
            "EXISTS (SELECT 1 FROM @nodes n WHERE n.id = %s AND n.expires_at > clock_timestamp())";

    private static final String LOOK = """
            SELECT s.epoch, coalesce(s.node, 0), %s, %s FROM @shards s WHERE s.shard = ?""".formatted(ALIVE.formatted("s.node"), ALIVE.formatted("?"));

    private static final String TAKE = """
            UPDATE @shards SET epoch = epoch + 1, node = ? WHERE shard = ? AND epoch = ? AND coalesce(node, 0) = ?""";

    private static final String LOCK_NOT_AVAILABLE = "55P03";

    private final SharedConnections connections;
    private final long lockTimeoutMillis;
    private final Map<Attempt, Long> unanswered = new ConcurrentHashMap<>();

    LeaseTable(SharedConnections connections, Duration lockTimeout) {
        this.connections = connections;
        this.lockTimeoutMillis = lockTimeout.toMillis();
    }

    private record Attempt(int shard, long node) {}

    private record Seen(long epoch, long holder, boolean holderAlive, boolean takerAlive) {}

    OptionalLong acquire(int shard, long node) {
        Attempt attempt = new Attempt(shard, node);
        return connections.run(connection -> {
            Seen seen = look(connection, shard, node);
            Long expected = unanswered.remove(attempt);
            if (expected != null && seen.holder() == node && seen.epoch() == expected) {
                return OptionalLong.of(seen.epoch());
            }
            boolean another =
                    seen.holderAlive() && seen.holder() != node; // its own may be left of an answer that was lost
            if (another || !seen.takerAlive()) {
                return OptionalLong.empty();
            }
            return take(connection, attempt, seen) ? OptionalLong.of(seen.epoch() + 1) : OptionalLong.empty();
        });
    }

    void release(int shard, long node, long epoch) {
        inTransaction(connection -> {
            try (PreparedStatement update = connections.prepare(
                    connection, "UPDATE @shards SET node = NULL WHERE shard = ? AND node = ? AND epoch = ?")) {
                update.setInt(1, shard);
                update.setLong(2, node);
                update.setLong(3, epoch);
                return update.executeUpdate();
            }
        });
    }

    private Seen look(Connection connection, int shard, long node) throws SQLException {
        try (PreparedStatement query = connections.prepare(connection, LOOK)) {
            query.setLong(1, node);
            query.setInt(2, shard);
            try (ResultSet row = query.executeQuery()) {
                if (!row.next()) {
                    throw new SQLException("there is no row of shard " + shard);
                }
                return new Seen(row.getLong(1), row.getLong(2), row.getBoolean(3), row.getBoolean(4));
            }
        }
    }

    private boolean take(Connection connection, Attempt attempt, Seen seen) throws SQLException {
        // until the server has answered
        unanswered.put(attempt, seen.epoch() + 1);
        boolean taken = false;
        try {
            taken = inTransaction(connection, held -> {
                try (PreparedStatement update = connections.prepare(held, TAKE)) {
                    update.setLong(1, attempt.node());
                    update.setInt(2, attempt.shard());
                    update.setLong(3, seen.epoch());
                    update.setLong(4, seen.holder());
                    return update.executeUpdate() == 1;
                }
            });
        } catch (SQLException e) {
            if (!LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
                throw e;
            }
        }
        unanswered.remove(attempt);
        return taken;
    }

    private <T> T inTransaction(SharedConnections.Work<T> work) {
        return connections.run(connection -> inTransaction(connection, work));
    }

    /** In a transaction that waits for locks only so long; in auto-commit mode the server would forget that setting at once. */
    private <T> T inTransaction(Connection connection, SharedConnections.Work<T> work) throws SQLException {
        connection.setAutoCommit(false);
        try {
            try (PreparedStatement limit =
                    connections.prepare(connection, "SELECT set_config('lock_timeout', ?, true)")) {
                limit.setString(1, lockTimeoutMillis + "ms");
                limit.execute();
            }
            T result = work.with(connection);
            connection.commit();
            return result;
        } catch (SQLException e) {
            rollBack(connection, e);
            throw e;
        } finally {
            if (!connection.isClosed()) {
                connection.setAutoCommit(true);
            }
        }
    }

    private static void rollBack(Connection connection, SQLException why) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            why.addSuppressed(e);
        }
    }
}
