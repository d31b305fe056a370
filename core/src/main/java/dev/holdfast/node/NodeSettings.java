package dev.holdfast.node;

import dev.holdfast.error.HoldfastException.InvalidArgument;
import java.time.Duration;

/**
 * How a node takes part in its cluster.
 *
 * @param name for people, such as host and port
 * @param lease how long a node that does not beat keeps its shards; it beats three times in it. All nodes should have the same
 * @param pollHinted how often a node looks for itself where hints come: at what it reads of other nodes' shards, and for letters
 * @param pollUnhinted the same where no hints come
 * @param patience how long a call waits for another node before it fails
 * @param hints whether hints are sent and listened for
 */
public record NodeSettings(
        String name, Duration lease, Duration pollHinted, Duration pollUnhinted, Duration patience, boolean hints) {

    public NodeSettings {
        if (lease.compareTo(Duration.ofMillis(100)) < 0 || lease.compareTo(Duration.ofHours(1)) > 0) {
            throw new InvalidArgument("A lease lasts 100 ms to an hour; got " + lease + ".");
        }
        if (pollHinted.toMillis() < 1 || pollUnhinted.toMillis() < 1 || patience.toMillis() < 1) {
            throw new InvalidArgument("Polling intervals and patience are at least one millisecond.");
        }
    }

    /** Ten seconds of lease; looks once a second where hints come, and every 25 ms where none do; 30 seconds of patience. */
    public static NodeSettings named(String name) {
        return new NodeSettings(
                name,
                Duration.ofSeconds(10),
                Duration.ofSeconds(1),
                Duration.ofMillis(25),
                Duration.ofSeconds(30),
                true);
    }

    public NodeSettings withLease(Duration time) {
        return new NodeSettings(name, time, pollHinted, pollUnhinted, patience, hints);
    }

    public NodeSettings withPolling(Duration hinted, Duration unhinted) {
        return new NodeSettings(name, lease, hinted, unhinted, patience, hints);
    }

    public NodeSettings withPatience(Duration time) {
        return new NodeSettings(name, lease, pollHinted, pollUnhinted, time, hints);
    }

    /** Works by polling alone, as behind a pooler that does not pass notifications on. */
    public NodeSettings withoutHints() {
        return new NodeSettings(name, lease, pollHinted, pollUnhinted, patience, false);
    }

    Duration beat() {
        return lease.dividedBy(3);
    }

    Duration poll() {
        return hints ? pollHinted : pollUnhinted;
    }
}
