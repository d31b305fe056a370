package dev.holdfast.node;

import dev.holdfast.cluster.Coordination;
import dev.holdfast.cluster.Coordination.Standing;
import dev.holdfast.error.HoldfastException;
import dev.holdfast.store.Time;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How the cluster stands as this node was told last, and how old that is. Only the thread that beats writes it; any may look.
 */
final class ClusterView {

    private static final Logger LOG = LoggerFactory.getLogger(ClusterView.class);

    private final Coordination coordination;
    private final Time time;
    private final long leaseNanos;

    private volatile long self;
    private volatile Standing standing;
    private volatile long heardNanos;

    /** Before the last beat that found every shard that is written here to be this node's. */
    private volatile long currentNanos;

    /**
     * @param self this node, which has joined
     * @param first what its first beat told
     */
    ClusterView(Coordination coordination, Time time, Duration lease, long self, Standing first) {
        this.coordination = coordination;
        this.time = time;
        this.leaseNanos = lease.toNanos();
        this.self = self;
        this.standing = first;
        this.heardNanos = time.monotonicNanos();
        this.currentNanos = heardNanos;
    }

    /** This node's number. */
    long self() {
        return self;
    }

    /** It joined anew. */
    void self(long number) {
        self = number;
    }

    /** A beat was answered; it was asked then. */
    void heard(Standing now, long askedNanos) {
        standing = now;
        heardNanos = askedNanos;
    }

    /** What is written here was this node's when a beat was asked then. */
    void current(long askedNanos) {
        currentNanos = askedNanos;
    }

    /** How the cluster stood at the last beat. */
    Standing known() {
        return standing;
    }

    /** Whether other nodes are alive. */
    boolean hasOthers() {
        return standing.nodes().size() > 1;
    }

    /** The node that holds the shard and is alive, or 0. */
    long holder(int shard) {
        Standing now = standing;
        long holder = now.holders().get(shard).node();
        return now.isAlive(holder) ? holder : 0;
    }

    /** Whether a node is alive; of one that joined after the last beat the database is asked. */
    boolean isAlive(long node) {
        Standing now = standing;
        boolean mayBeNew = now.nodes().stream().allMatch(each -> each.id() < node); // numbers grow
        return (mayBeNew ? asked() : now).isAlive(node);
    }

    Set<Long> others() {
        return others(standing);
    }

    Set<Long> othersNow() {
        return others(asked());
    }

    private Set<Long> others(Standing now) {
        long me = self;
        return now.nodes().stream()
                .map(Coordination.Node::id)
                .filter(id -> id != me)
                .collect(Collectors.toUnmodifiableSet());
    }

    /**
     * How the cluster stands, from the database; what is known if that is away. It is not kept: an answer that was overtaken by a beat's would
     * show shards as lost that were just taken.
     */
    private Standing asked() {
        try {
            return coordination.standing();
        } catch (HoldfastException e) {
            LOG.debug("Who is alive could not be asked: {}", e.getMessage());
            return standing;
        }
    }

    /** The lease runs from before the beat, on a clock that goes on while the process is frozen; nobody takes a shard before its end. */
    boolean isCurrent() {
        return time.monotonicNanos() - currentNanos <= leaseNanos;
    }

    /** Whether nothing was heard of the cluster for a lease's time. */
    boolean isCutOff() {
        return time.monotonicNanos() - heardNanos > leaseNanos;
    }
}
