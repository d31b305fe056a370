package dev.holdfast.verification.session;

import dev.holdfast.store.Time;
import dev.holdfast.store.Timers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Clocks, randomness and timers that move only when a test says so. Safe for any thread. */
final class SteppedTime implements Time, Timers {

    private static final long START_MILLIS = 1_800_000_000_000L;

    private final Random random = new Random(1);
    private final List<Waiting> waiting = new ArrayList<>();
    private long passedMillis;

    private record Waiting(long at, Runnable action) {}

    @Override
    public synchronized long wallMillis() {
        return START_MILLIS + passedMillis;
    }

    @Override
    public synchronized long monotonicNanos() {
        return passedMillis * 1_000_000;
    }

    @Override
    public synchronized long randomLong() {
        return random.nextLong();
    }

    @Override
    public synchronized Handle after(Duration delay, Runnable action) {
        Waiting entry = new Waiting(passedMillis + delay.toMillis(), action);
        waiting.add(entry);
        return () -> cancel(entry);
    }

    private synchronized void cancel(Waiting entry) {
        waiting.remove(entry);
    }

    synchronized int waitingTimers() {
        return waiting.size();
    }

    /** Lets time pass and runs what is due. */
    void advance(Duration duration) {
        List<Waiting> due;
        synchronized (this) {
            passedMillis += duration.toMillis();
            due = waiting.stream().filter(entry -> entry.at() <= passedMillis).toList();
            waiting.removeAll(due);
        }
        due.forEach(entry -> entry.action().run());
    }

    @Override
    public void close() {}
}
