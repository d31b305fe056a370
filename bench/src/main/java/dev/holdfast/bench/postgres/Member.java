package dev.holdfast.bench.postgres;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.node.NodeSettings;
import dev.holdfast.store.postgres.CoordinationSettings;
import dev.holdfast.store.postgres.PostgresDatabase;
import dev.holdfast.store.postgres.PostgresSettings;
import java.time.Duration;

/** A node with connections of its own, as a process has. */
record Member(PostgresDatabase database, Holdfast holdfast) implements AutoCloseable {

    private static final Duration MAX_OPENING = Duration.ofMinutes(1);
    private static final long LOOK_MILLIS = 5;

    static Member join(PostgresSettings settings, HoldfastSettings engines, NodeSettings node) {
        PostgresDatabase database = PostgresDatabase.open(settings);
        try {
            CoordinationSettings coordination = CoordinationSettings.DEFAULTS
                    .withLease(node.lease())
                    .withHints(node.hints() ? CoordinationSettings.Hints.NOTIFY : CoordinationSettings.Hints.OFF);
            return new Member(database, Holdfast.join(database.coordination(coordination), engines, node));
        } catch (RuntimeException e) {
            database.close();
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
        database.close();
    }
}
