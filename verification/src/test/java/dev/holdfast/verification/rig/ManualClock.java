package dev.holdfast.verification.rig;

import dev.holdfast.store.Time;
import dev.holdfast.store.Timers;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Both clocks, randomness and timers, moved by the test alone. Due actions run on the thread that advances the clock, in the order of
 * their deadlines. Safe for any thread.
 */
public final class ManualClock implements Time {

    public static final long START_MILLIS = 1_700_000_000_000L;

    private record Due(long nanos, long number) implements Comparable<Due> {
        @Override
        public int compareTo(Due other) {
            return nanos != other.nanos ? Long.compare(nanos, other.nanos) : Long.compare(number, other.number);
        }
    }

    private final SplittableRandom random = new SplittableRandom(42); // guarded by this
    private final TreeMap<Due, Runnable> waiting = new TreeMap<>(); // guarded by this
    private long nanos; // guarded by this
    private long timersMade; // guarded by this

    @Override
    public synchronized long wallMillis() {
        return START_MILLIS + nanos / 1_000_000;
    }

    @Override
    public synchronized long monotonicNanos() {
        return nanos;
    }

    @Override
    public synchronized long randomLong() {
        return random.nextLong();
    }

    /** Moves the clocks and runs what is due by then. */
    public void advance(Duration by) {
        long until;
        synchronized (this) {
            until = nanos + by.toNanos();
        }
        for (Runnable action = nextDue(until); action != null; action = nextDue(until)) {
            action.run();
        }
        synchronized (this) {
            nanos = until;
        }
    }

    private synchronized @Nullable Runnable nextDue(long until) {
        Map.Entry<Due, Runnable> first = waiting.firstEntry();
        if (first == null || first.getKey().nanos() > until) {
            return null;
        }
        waiting.remove(first.getKey());
        nanos = Math.max(nanos, first.getKey().nanos());
        return first.getValue();
    }

    /** Timers that wait. */
    public synchronized int pending() {
        return waiting.size();
    }

    /** Timers that were ever set. */
    public synchronized long timersMade() {
        return timersMade;
    }

    /** Timers on this clock; closing them cancels those that were made through them. */
    public Timers timers() {
        return new OnThisClock();
    }

    private final class OnThisClock implements Timers {
        private boolean closed; // guarded by the clock
        private final Set<Due> mine = new HashSet<>(); // guarded by the clock

        @Override
        public Handle after(Duration delay, Runnable action) {
            synchronized (ManualClock.this) {
                if (closed) {
                    return () -> {};
                }
                Due due = new Due(nanos + delay.toNanos(), timersMade++);
                waiting.put(due, action);
                mine.add(due);
                return () -> {
                    synchronized (ManualClock.this) {
                        waiting.remove(due);
                        mine.remove(due);
                    }
                };
            }
        }

        @Override
        public void close() {
            synchronized (ManualClock.this) {
                closed = true;
                mine.forEach(waiting::remove);
                mine.clear();
            }
        }
    }
}
