package dev.holdfast.store.postgres;

/** Nodes on a real server that find everything by looking (NO-SEAM). */
final class UnhintedNodesOnPostgresTest extends NodesOnPostgresTest {

    @Override
    protected boolean hinted() {
        return false;
    }
}
