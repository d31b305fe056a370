package dev.holdfast.node;

import dev.holdfast.cluster.Coordination;
import dev.holdfast.cluster.Coordination.Holder;
import dev.holdfast.cluster.Coordination.Standing;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which shards a node takes and gives back, decided with each beat.
 *
 * <p>Each takes its fair share of those that nobody alive holds, and gives idle ones back when it has more. A node that is about to leave gets
 * no share. One that counts but cannot take what falls to it, as it does not reach a database or a shard does not open there, must not keep
 * others from it: what lies free for half a lease is shared out among those that have their shares, and what lies free for longer goes
 * to whoever comes first, so that no shard is without an owner for longer than a lease.
 *
 * <p>What was taken so beyond the share is kept until other nodes are there than before: given back, it would only lie free again.
 *
 * <p>Of the thread that beats.
 */
final class Sharing {

    /** What the node has of the shards. */
    interface Holdings {

        int count();

        /** Whether this node has the shard, or opens it. */
        boolean isMine(int shard);

        /** Begins to take it. Returns whether that is under way. */
        boolean take(int shard);

        /** Gives it back if no turn runs in it. Returns whether that is under way. */
        boolean giveBackIdle(int shard);

        /** Whether the shard was taken since this was asked last and could not be opened, for a reason that will not pass by itself. */
        boolean takenInVain(int shard);
    }

    private final Holdings holdings;
    private final long leaseNanos;

    /** Since when shards were seen free. */
    private final Map<Integer, Long> freeSince = new HashMap<>();

    /** Shards that do not open here are left to others for a while. */
    private final Map<Integer, Long> leftUntil = new HashMap<>();

    /** Held beyond the share. */
    private final Set<Integer> spare = new HashSet<>();

    /** Being given back. */
    private final Set<Integer> leaving = new HashSet<>();

    private Set<Long> takers = Set.of();

    Sharing(Holdings holdings, long leaseNanos) {
        this.holdings = holdings;
        this.leaseNanos = leaseNanos;
    }

    /**
     * Takes what falls to this node, and gives back what does not any more.
     *
     * @param self this node
     * @param now how the cluster stands
     * @param nanos the monotonic clock
     */
    void settle(long self, Standing now, long nanos) {
        Set<Long> present = now.nodes().stream()
                .filter(node -> !node.retiring())
                .map(Coordination.Node::id)
                .collect(Collectors.toUnmodifiableSet());
        if (!present.equals(takers)) {
            takers = present;
            spare.clear();
        }
        look(self, now, nanos);
        int share = share(Math.max(1, present.size()));
        int mine = take(self, share, sharesOfTheAble(self, now, share), nanos);
        for (int shard = 0; shard < holdings.count() && mine - spare.size() > share; shard++) {
            if (!spare.contains(shard) && !leaving.contains(shard) && holdings.giveBackIdle(shard)) {
                leaving.add(shard);
                mine--;
            }
        }
    }

    /** Notes which shards are free. */
    private void look(long self, Standing now, long nanos) {
        for (int shard = 0; shard < holdings.count(); shard++) {
            long holder = now.holders().get(shard).node();
            // its own is free, if it once had to give the shard up without saying so
            boolean free = !holdings.isMine(shard) && (holder == self || !now.isAlive(holder));
            if (!free) {
                freeSince.remove(shard);
            } else {
                freeSince.putIfAbsent(shard, nanos);
            }
            if (!holdings.isMine(shard)) {
                spare.remove(shard);
                leaving.remove(shard);
            }
            if (holdings.takenInVain(shard) && takers.size() > 1) {
                leftUntil.put(shard, nanos + 2 * leaseNanos);
            }
        }
        leftUntil.values().removeIf(until -> nanos - until >= 0 || takers.size() <= 1);
    }

    /** Returns how many this node has then. */
    private int take(long self, int share, int ofTheAble, long nanos) {
        int mine = 0;
        for (int shard = 0; shard < holdings.count(); shard++) {
            mine += holdings.isMine(shard) && !leaving.contains(shard) ? 1 : 0;
        }
        int first = (int) (self % holdings.count()); // so that nodes do not all reach for the same ones
        for (int i = 0; i < holdings.count(); i++) {
            int shard = (first + i) % holdings.count();
            Long since = freeSince.get(shard);
            if (since == null || leftUntil.containsKey(shard)) {
                continue;
            }
            long free = nanos - since;
            boolean beyond = mine >= share;
            boolean falls = !beyond
                    || (free >= leaseNanos / 2 && mine < ofTheAble)
                    || free >= leaseNanos * 5 / 6; // before the lease is over, at the pace of beats
            if (falls && holdings.take(shard)) {
                mine++;
                freeSince.remove(shard);
                if (beyond) {
                    spare.add(shard);
                }
            }
        }
        return mine;
    }

    /** The share of each if those that do not have theirs, while shards are free, are left out. */
    private int sharesOfTheAble(long self, Standing now, int share) {
        Map<Long, Integer> held = new HashMap<>();
        for (Holder holder : now.holders()) {
            held.merge(holder.node(), 1, Integer::sum);
        }
        long able = takers.stream()
                .filter(node -> node == self || held.getOrDefault(node, 0) >= share)
                .count();
        return share((int) Math.max(1, able));
    }

    private int share(int nodes) {
        return (holdings.count() + nodes - 1) / nodes;
    }
}
