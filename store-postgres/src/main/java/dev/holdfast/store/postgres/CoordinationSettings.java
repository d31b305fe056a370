package dev.holdfast.store.postgres;

import dev.holdfast.error.HoldfastException.InvalidArgument;
import java.time.Duration;

/**
 * How a node takes part in a cluster. All nodes of one database use the same.
 *
 * @param lease how long a node counts as alive after a beat; it beats every third of this
 * @param lockTimeout how long the taker of a shard waits for a commit of the holder before, after which it tries again later
 * @param connections for beats, leases and letters, beside those of the database and two for hints; at least 2, so that letters do not hold up
 *     a beat
 * @param hints whether nodes tell each other at once what changed
 */
public record CoordinationSettings(Duration lease, Duration lockTimeout, int connections, Hints hints) {

    /** How nodes learn what others changed. */
    public enum Hints {
        /** By LISTEN and NOTIFY, on two connections of the node's own that must reach the server itself. */
        NOTIFY,
        /** By polling alone, for poolers that share a connection between transactions. Everything works, but later. */
        OFF
    }

    public static final Duration MIN_LEASE = Duration.ofSeconds(1);
    public static final Duration MAX_LEASE = Duration.ofMinutes(10);

    public static final CoordinationSettings DEFAULTS =
            new CoordinationSettings(Duration.ofSeconds(10), Duration.ofSeconds(2), 4, Hints.NOTIFY);

    public CoordinationSettings {
        if (lease.compareTo(MIN_LEASE) < 0 || lease.compareTo(MAX_LEASE) > 0) {
            throw new InvalidArgument("The lease of a node is at least %s and at most %s; got %s."
                    .formatted(MIN_LEASE, MAX_LEASE, lease));
        }
        if (lockTimeout.compareTo(Duration.ofMillis(1)) < 0 || lockTimeout.compareTo(lease) > 0) {
            throw new InvalidArgument(
                    "The time to wait for a lock is at least a millisecond and at most the lease, %s; got %s."
                            .formatted(lease, lockTimeout));
        }
        if (connections < 2) {
            throw new InvalidArgument(
                    "A node needs at least 2 connections beside the database's; got " + connections + ".");
        }
    }

    public CoordinationSettings withLease(Duration time) {
        return new CoordinationSettings(time, lockTimeout, connections, hints);
    }

    public CoordinationSettings withLockTimeout(Duration time) {
        return new CoordinationSettings(lease, time, connections, hints);
    }

    public CoordinationSettings withConnections(int count) {
        return new CoordinationSettings(lease, lockTimeout, count, hints);
    }

    public CoordinationSettings withHints(Hints mode) {
        return new CoordinationSettings(lease, lockTimeout, connections, mode);
    }
}
