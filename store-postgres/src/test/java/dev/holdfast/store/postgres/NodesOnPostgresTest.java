package dev.holdfast.store.postgres;

import dev.holdfast.cluster.Coordination;
import dev.holdfast.testkit.cluster.ClusterContract;
import dev.holdfast.testkit.cluster.Nodes;
import java.util.ArrayList;
import java.util.List;

/** Nodes on a real server, with hints. */
class NodesOnPostgresTest extends ClusterContract {

    private final PostgresSettings settings = PostgresServer.shared().settings().withShards(Nodes.SHARDS);
    private final List<PostgresDatabase> databases = new ArrayList<>();

    @Override
    protected Coordination open() {
        PostgresDatabase database = PostgresDatabase.open(settings);
        databases.add(database);
        return database.coordination(CoordinationSettings.DEFAULTS
                .withLockTimeout(Nodes.LEASE)
                .withLease(Nodes.LEASE)
                .withHints(hinted() ? CoordinationSettings.Hints.NOTIFY : CoordinationSettings.Hints.OFF));
    }

    @Override
    protected void closeDatabase() {
        databases.forEach(PostgresDatabase::close);
    }
}
