package dev.holdfast.store;

import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Wakes the callers of one batch, who have their answers already.
 *
 * <p>To unpark a virtual thread from a platform thread costs about a microsecond: it goes through the scheduler's shared queue and often
 * signals a sleeping carrier. For a batch of hundreds that is longer than its transaction takes, and the next one waits for it. So virtual
 * threads of a large batch are woken by one virtual thread, for which it is cheap, while the committer goes on. Platform threads are woken
 * at once: they must not wait until a carrier is free.
 *
 * <p>Confined to the committer's thread until {@link #finish}.
 */
final class Waking {

    /** Up to so many callers the committer wakes by itself: one more hand-over would cost them more than it saves. */
    static final int DIRECT_LIMIT = 8;

    private final @Nullable Thread[] virtual;
    private int count;

    Waking(int size) {
        this.virtual = new Thread[size > DIRECT_LIMIT ? size : 0];
    }

    void add(@Nullable Thread waiter) {
        if (waiter == null) {
            return;
        }
        if (virtual.length > 0 && waiter.isVirtual()) {
            virtual[count++] = waiter;
        } else {
            LockSupport.unpark(waiter);
        }
    }

    void finish(Executor others) {
        if (count > DIRECT_LIMIT) {
            others.execute(this::unparkAll);
        } else {
            unparkAll();
        }
    }

    private void unparkAll() {
        for (int i = 0; i < count; i++) {
            LockSupport.unpark(virtual[i]);
        }
    }
}
