package dev.holdfast.bench.postgres;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.cluster.Coordination;
import dev.holdfast.cluster.SeveralDatabases;
import dev.holdfast.node.NodeSettings;
import dev.holdfast.store.postgres.CoordinationSettings;
import dev.holdfast.store.postgres.PostgresDatabase;
import dev.holdfast.store.postgres.PostgresSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A node with connections of its own, as a process has. */
record Member(List<PostgresDatabase> databases, Holdfast holdfast) implements AutoCloseable {

    private static final Duration MAX_OPENING = Duration.ofMinutes(1);
    private static final long LOOK_MILLIS = 5;

    static Member join(PostgresSettings settings, HoldfastSettings engines, NodeSettings node) {
        return join(List.of(settings), engines, node);
    }

    /** A node whose shards lie in several databases, in this order. */
    static Member join(List<PostgresSettings> settings, HoldfastSettings engines, NodeSettings node) {
        CoordinationSettings coordination = CoordinationSettings.DEFAULTS
                .withLease(node.lease())
                .withHints(node.hints() ? CoordinationSettings.Hints.NOTIFY : CoordinationSettings.Hints.OFF);
        List<PostgresDatabase> databases = new ArrayList<>();
        try {
            List<Coordination> parts = new ArrayList<>();
            for (PostgresSettings each : settings) {
                PostgresDatabase database = PostgresDatabase.open(each);
                databases.add(database);
                parts.add(database.coordination(coordination));
            }
            Coordination all = parts.size() == 1 ? parts.getFirst() : new SeveralDatabases(parts, node.lease());
            return new Member(List.copyOf(databases), Holdfast.join(all, engines, node));
        } catch (RuntimeException e) {
            databases.forEach(PostgresDatabase::close);
            throw e;
        }
    }

    /** Waits until this node writes so many shards. */
    Member holding(int shards) throws InterruptedException {
        long deadline = System.nanoTime() + MAX_OPENING.toNanos();
        while (holdfast.shardsHeld() < shards) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("the node holds %d of %d shards after %s"
                        .formatted(holdfast.shardsHeld(), shards, MAX_OPENING));
            }
            Thread.sleep(LOOK_MILLIS);
        }
        return this;
    }

    @Override
    public void close() {
        holdfast.close();
        databases.forEach(PostgresDatabase::close);
    }
}
