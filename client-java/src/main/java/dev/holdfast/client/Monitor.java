package dev.holdfast.client;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lock of a client. Decisions are made under it and do nothing outside; what follows from them (sending, closing, telling) is noted and done by the
 * same thread, in order, once it has let go of the lock. So no foreign code ever runs under it.
 */
final class Monitor {

    private static final Logger LOG = LoggerFactory.getLogger(Monitor.class);

    private final ReentrantLock lock = new ReentrantLock();
    private List<Runnable> effects = new ArrayList<>(); // guarded by lock

    /** Makes a change, and then does what follows from it. */
    void change(Runnable decision) {
        decide(() -> {
            decision.run();
            return Boolean.TRUE;
        });
    }

    /** Makes a change that has a result, and then does what follows from it. */
    <T> T decide(Supplier<T> decision) {
        lock.lock();
        try {
            return decision.get();
        } finally {
            List<Runnable> toDo = List.of();
            if (lock.getHoldCount() == 1 && !effects.isEmpty()) {
                toDo = effects;
                effects = new ArrayList<>();
            }
            lock.unlock();
            toDo.forEach(Monitor::carryOut);
        }
    }

    /** Notes what is done after the change that is being made. */
    void then(Runnable effect) {
        assertHeld();
        effects.add(effect);
    }

    void assertHeld() {
        if (!lock.isHeldByCurrentThread()) {
            throw new IllegalStateException("The lock of the client is not held here.");
        }
    }

    private static void carryOut(Runnable effect) {
        try {
            effect.run();
        } catch (RuntimeException e) {
            LOG.warn("A client could not do what it wanted", e);
        }
    }
}
