package dev.holdfast.testkit;

import dev.holdfast.store.Time;
import dev.holdfast.store.Timers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Clocks that stand still until they are moved, timers that run when they are, and random numbers that are not. One thread at a time.
 */
public final class SimTime implements Time, Timers {

    private static final long START_MILLIS = 1_700_000_000_000L;
    private static final long NANOS_PER_MILLI = 1_000_000;

    private record Waiting(long dueNanos, long number, Runnable action) {}

    private final List<Waiting> timers = new ArrayList<>();
    private long nanos;
    private long counted;

    @Override
    public long wallMillis() {
        return START_MILLIS + nanos / NANOS_PER_MILLI;
    }

    @Override
    public long monotonicNanos() {
        return nanos;
    }

    /** Another number each time, spread over all bits. */
    @Override
    public long randomLong() {
        return ++counted * 0x9E3779B97F4A7C15L;
    }

    @Override
    public Handle after(Duration delay, Runnable action) {
        Waiting waiting = new Waiting(nanos + delay.toNanos(), ++counted, action);
        timers.add(waiting);
        return () -> timers.remove(waiting);
    }

    /** Moves the clocks and runs what becomes due, in order, each at its own time. */
    public void advance(Duration by) {
        long target = nanos + by.toNanos();
        while (true) {
            Waiting next = timers.stream()
                    .filter(t -> t.dueNanos() <= target)
                    .min(Comparator.comparingLong(Waiting::dueNanos).thenComparingLong(Waiting::number))
                    .orElse(null);
            if (next == null) {
                break;
            }
            timers.remove(next);
            nanos = Math.max(nanos, next.dueNanos());
            next.action().run();
        }
        nanos = target;
    }

    /** Whether a timer is due without the clocks being moved. */
    public boolean hasDue() {
        return timers.stream().anyMatch(t -> t.dueNanos() <= nanos);
    }

    /** How many timers wait. */
    public int waitingTimers() {
        return timers.size();
    }

    /** Forgets the timers, as the death of their process does. */
    @Override
    public void close() {
        timers.clear();
    }
}
