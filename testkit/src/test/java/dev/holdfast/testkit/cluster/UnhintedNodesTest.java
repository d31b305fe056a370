package dev.holdfast.testkit.cluster;

import dev.holdfast.cluster.Coordination;
import dev.holdfast.store.Time;
import dev.holdfast.testkit.SimCoordination;

/** Nodes that find everything by looking (NO-SEAM). */
final class UnhintedNodesTest extends ClusterContract {

    private final SimCoordination database = new SimCoordination(Nodes.SHARDS, Time.system(), Nodes.LEASE);

    @Override
    protected Coordination open() {
        return database;
    }

    @Override
    protected boolean hinted() {
        return false;
    }
}
