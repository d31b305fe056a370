package dev.holdfast.mcp.events;

import dev.holdfast.cluster.Peers;
import java.util.HashSet;
import java.util.Set;

/** Notices that nodes of a cluster are gone, whose work is for others to take up. Thread-safe. */
public final class Departures {

    private final Peers peers;
    private Set<Long> alive; // guarded by this

    public Departures(Peers peers) {
        this.peers = peers;
        this.alive = alive();
    }

    private Set<Long> alive() {
        Set<Long> now = new HashSet<>(peers.others());
        now.add(peers.self());
        return now;
    }

    /** Whether a node is gone that was there when this was asked last, or made. */
    public synchronized boolean any() {
        Set<Long> now = alive();
        boolean gone = !now.containsAll(alive);
        alive = now;
        return gone;
    }
}
