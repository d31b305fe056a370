package dev.holdfast.store.postgres;

import dev.holdfast.cluster.Coordination.Holder;
import dev.holdfast.cluster.Coordination.Node;
import dev.holdfast.cluster.Coordination.Standing;
import dev.holdfast.error.HoldfastException.StaleEpoch;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Who is a node, and until when. All times are of {@code clock_timestamp()}, the server's clock at the moment itself, as the start of a
 * transaction that waited would be a time long ago. In a database of several servers it is the clock of the one that answers, so that their
 * clocks must agree within a small part of a lease. A standby that takes over with a clock that is behind finds deadlines far ahead; they are
 * brought back, or the shards of nodes that died with the primary would be held for as long.
 */
final class NodeTable {

    private static final String DEADLINE = "clock_timestamp() + ? * interval '1 millisecond'";

    /** Leases before nodes: a holder that is not among the nodes then is one that left, never one that came in between. */
    private static final String STANDING = """
            SELECT epoch, coalesce(node, 0) FROM @shards ORDER BY shard;
            SELECT id, name, extract(epoch FROM clock_timestamp()) * 1000, extract(epoch FROM expires_at - clock_timestamp()) * 1000,
              retiring
            FROM @nodes ORDER BY id""";

    private static final String BEAT =
            "UPDATE @nodes SET expires_at = %s WHERE id = ? AND NOT has_left;\n".formatted(DEADLINE) + STANDING;

    private final SharedConnections connections;
    private final InboxTable inbox;
    private final long leaseMillis;

    /** Whether letters of removed nodes may be left. */
    private volatile boolean sweeping;

    NodeTable(SharedConnections connections, InboxTable inbox, Duration lease) {
        this.connections = connections;
        this.inbox = inbox;
        this.leaseMillis = lease.toMillis();
    }

    long join(String name) {
        sweeping = true;
        return connections.run(connection -> {
            try (PreparedStatement insert = connections.prepare(
                    connection,
                    "INSERT INTO @nodes (name, expires_at) VALUES (?, %s) RETURNING id".formatted(DEADLINE))) {
                insert.setString(1, name.replace('\0', '\uFFFD'));
                insert.setLong(2, leaseMillis);
                try (ResultSet row = insert.executeQuery()) {
                    row.next();
                    return row.getLong(1);
                }
            }
        });
    }

    Standing beat(long node) {
        Beat beat = connections.run(connection -> beat(connection, node));
        if (!beat.known()) {
            throw StaleEpoch.ofNode(node);
        }
        Picture picture = beat.picture();
        if (!picture.dead().isEmpty()) {
            remove(picture.dead());
        }
        if (!picture.ahead().isEmpty()) {
            bringBack(picture.ahead());
        }
        if (sweeping) {
            sweeping = inbox.sweep() == CoordinationLimits.MAX_SWEPT_LETTERS;
        }
        return picture.standing();
    }

    Standing standing() {
        return connections.run(connection -> {
            try (PreparedStatement look = connections.prepare(connection, STANDING)) {
                look.execute();
                return picture(look).standing();
            }
        });
    }

    void retire(long node) {
        connections.run(connection -> {
            try (PreparedStatement retire =
                    connections.prepare(connection, "UPDATE @nodes SET retiring = true WHERE id = ?")) {
                retire.setLong(1, node);
                return retire.executeUpdate();
            }
        });
    }

    /**
     * The leases need no statement of their own: they are free when their holder is not alive. The row goes as that of any dead node, and the
     * inbox with it.
     */
    void leave(long node) {
        connections.run(connection -> {
            try (PreparedStatement end = connections.prepare(
                    connection,
                    "UPDATE @nodes SET expires_at = clock_timestamp(), has_left = true WHERE id = ? AND NOT has_left")) {
                end.setLong(1, node);
                return end.executeUpdate();
            }
        });
    }

    /**
     * What one round trip tells.
     *
     * @param known whether the node is one still
     */
    private record Beat(boolean known, Picture picture) {}

    /**
     * The tables at a moment.
     *
     * @param dead nodes that have been dead for so long that they are to be removed
     * @param ahead nodes whose deadlines no clock like this one can have set
     */
    private record Picture(Standing standing, List<Long> dead, List<Long> ahead) {}

    private Beat beat(Connection connection, long node) throws SQLException {
        // statements joined by semicolons travel together; the driver has the server run them as one transaction
        try (PreparedStatement beat = connections.prepare(connection, BEAT)) {
            beat.setLong(1, leaseMillis);
            beat.setLong(2, node);
            beat.execute();
            boolean known = beat.getUpdateCount() == 1;
            beat.getMoreResults();
            return new Beat(known, picture(beat));
        }
    }

    /** Reads the answers of {@link #STANDING}. */
    private Picture picture(PreparedStatement asked) throws SQLException {
        List<Holder> holders = new ArrayList<>();
        try (ResultSet rows = asked.getResultSet()) {
            while (rows.next()) {
                holders.add(new Holder(rows.getLong(2), rows.getLong(1)));
            }
        }
        asked.getMoreResults();
        List<Node> alive = new ArrayList<>();
        List<Long> dead = new ArrayList<>();
        List<Long> ahead = new ArrayList<>();
        long now = 0;
        try (ResultSet rows = asked.getResultSet()) {
            while (rows.next()) {
                now = (long) rows.getDouble(3);
                double left = rows.getDouble(4);
                if (left > 0) {
                    alive.add(new Node(rows.getLong(1), Pipeline.text(rows, 2), rows.getBoolean(5)));
                } else if (left < -(double) removalMillis()) {
                    dead.add(rows.getLong(1));
                }
                if (left > (double) removalMillis()) {
                    ahead.add(rows.getLong(1));
                }
            }
        }
        return new Picture(new Standing(now, List.copyOf(alive), List.copyOf(holders)), dead, ahead);
    }

    /** All nodes that are alive see the same dead ones; a row is deleted by one of them, and only if it did not beat meanwhile. */
    private void remove(List<Long> dead) {
        sweeping = true;
        connections.run(connection -> {
            try (PreparedStatement delete = connections.prepare(
                    connection,
                    "DELETE FROM @nodes WHERE id = ? AND expires_at < clock_timestamp() - ? * interval '1 millisecond'")) {
                for (long node : dead) {
                    delete.setLong(1, node);
                    delete.setLong(2, removalMillis());
                    delete.addBatch();
                }
                return delete.executeBatch();
            }
        });
    }

    /** To one lease from now; those that are alive move theirs themselves. */
    private void bringBack(List<Long> ahead) {
        connections.run(connection -> {
            try (PreparedStatement update = connections.prepare(
                    connection,
                    "UPDATE @nodes SET expires_at = %1$s WHERE id = ? AND expires_at > %1$s".formatted(DEADLINE))) {
                for (long node : ahead) {
                    update.setLong(1, leaseMillis);
                    update.setLong(2, node);
                    update.setLong(3, leaseMillis);
                    update.addBatch();
                }
                return update.executeBatch();
            }
        });
    }

    private long removalMillis() {
        return leaseMillis * CoordinationLimits.LEASES_UNTIL_REMOVAL;
    }
}
