package dev.holdfast.node;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Something may have happened: one thread waits for it, any may say so. What is said while nobody waits is not lost. */
final class Signal {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition said = lock.newCondition();
    private boolean set;

    void set() {
        lock.lock();
        try {
            set = true;
            said.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until it is said, at most so long, or until the thread is interrupted; takes it. */
    void await(Duration limit) {
        lock.lock();
        try {
            long left = limit.toNanos();
            while (!set && left > 0) {
                left = said.awaitNanos(left);
            }
            set = false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }
}
