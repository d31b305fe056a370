package dev.holdfast.testkit.cluster;

import dev.holdfast.cluster.Coordination;
import dev.holdfast.store.Time;
import dev.holdfast.testkit.SimCoordination;

/** Nodes on the simulated database. */
final class NodesTest extends ClusterContract {

    private final SimCoordination database = new SimCoordination(Nodes.SHARDS, Time.system(), Nodes.LEASE);

    @Override
    protected Coordination open() {
        return database;
    }
}
