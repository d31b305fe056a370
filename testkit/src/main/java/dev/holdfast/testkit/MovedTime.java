package dev.holdfast.testkit;

import dev.holdfast.store.Time;
import dev.holdfast.store.Timers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Clocks that stand still until they are moved, for servers with threads. What is due runs on the thread that moves them, behind the move, and
 * may set timers meanwhile. Safe for any thread.
 */
public final class MovedTime implements Time, Timers {

    private final SimTime time = new SimTime(); // guarded by this
    private final List<Runnable> due = new ArrayList<>(); // guarded by this
    private int made; // guarded by this

    @Override
    public synchronized long wallMillis() {
        return time.wallMillis();
    }

    @Override
    public synchronized long monotonicNanos() {
        return time.monotonicNanos();
    }

    @Override
    public synchronized long randomLong() {
        return time.randomLong();
    }

    @Override
    public synchronized Handle after(Duration delay, Runnable action) {
        made++;
        Handle handle = time.after(delay, () -> due.add(action));
        return () -> {
            synchronized (this) {
                handle.cancel();
            }
        };
    }

    public void advance(Duration by) {
        List<Runnable> now;
        synchronized (this) {
            time.advance(by);
            now = List.copyOf(due);
            due.clear();
        }
        now.forEach(Runnable::run);
    }

    public synchronized int waitingTimers() {
        return time.waitingTimers();
    }

    /** Timers that were ever set. */
    public synchronized int timersMade() {
        return made;
    }

    @Override
    public void close() {}
}
