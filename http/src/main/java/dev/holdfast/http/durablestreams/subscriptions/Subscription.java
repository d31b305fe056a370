package dev.holdfast.http.durablestreams.subscriptions;

import dev.holdfast.store.Timers;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A subscription in memory. One operation at a time: whoever decides on its state or writes it holds {@link #lock}, for as long as the write
 * takes. What the committer's thread tells goes to {@link Links}, which has a monitor of its own that is never held across a write.
 */
final class Subscription {

    private final Definition definition;
    private final Links links;
    private final ReentrantLock lock = new ReentrantLock();

    /** Whether somebody is about to look what there is to do. */
    private final AtomicBoolean signalled = new AtomicBoolean();

    /** Whether there was no room for a link. */
    private final AtomicBoolean full = new AtomicBoolean();

    /** Where clients reach this server, such as {@code https://host/v1/stream}; of the last request that created or confirmed it. */
    private volatile String base;

    private volatile WakeState state;
    private volatile boolean ended;

    /** Whether the streams that there were before it are linked, so that any other that its pattern matches is newer than it. */
    private volatile boolean backfilled;

    // Guarded by lock.
    private long version;
    private @Nullable Delivery delivery;
    private boolean announced;
    private int failedSteps;
    private Timers.@Nullable Handle alarm;

    Subscription(Definition definition, String base, WakeState state, long version, Links links) {
        this.definition = definition;
        this.base = base;
        this.state = state;
        this.version = version;
        this.links = links;
    }

    Definition definition() {
        return definition;
    }

    String id() {
        return definition.id();
    }

    Links links() {
        return links;
    }

    ReentrantLock lock() {
        return lock;
    }

    AtomicBoolean signalled() {
        return signalled;
    }

    String base() {
        return base;
    }

    void base(String reachedAt) {
        base = reachedAt;
    }

    WakeState state() {
        return state;
    }

    /** The version of the persisted state, for the condition of the next write. */
    long version() {
        return version;
    }

    /** The state that was made durable. */
    void installed(WakeState durable, long durableVersion) {
        announced &= durable.generation() == state.generation();
        state = durable;
        version = durableVersion;
    }

    /** Whether this is the first time that there is no room for a link. */
    boolean becameFull() {
        return full.compareAndSet(false, true);
    }

    boolean isBackfilled() {
        return backfilled;
    }

    void backfilled() {
        backfilled = true;
    }

    /** Deleted, or the server closes: nothing is done for it any more. */
    boolean isEnded() {
        return ended;
    }

    void end() {
        ended = true;
        alarm(null);
        replaceDelivery(null);
    }

    /** The webhook request under way for the wake in flight. */
    @Nullable
    Delivery delivery() {
        return delivery;
    }

    /** Another request is the one under way; the one before is cut, if it still waits for its answer. */
    void replaceDelivery(@Nullable Delivery next) {
        Delivery before = delivery;
        delivery = next;
        if (before != null) {
            before.cancel();
        }
    }

    /** The request under way may go on, but its answer does not count any more. */
    void forgetDelivery() {
        delivery = null;
    }

    /** Whether the wake in flight is written to the wake stream. */
    boolean announced() {
        return announced;
    }

    void announced(boolean written) {
        announced = written;
    }

    int failedSteps() {
        return failedSteps;
    }

    void failedSteps(int inARow) {
        failedSteps = inARow;
    }

    void alarm(Timers.@Nullable Handle next) {
        Timers.Handle before = alarm;
        alarm = next;
        if (before != null) {
            before.cancel();
        }
    }
}
