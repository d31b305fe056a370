package dev.holdfast.client;

import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** A time that goes on when the test says so. Owned by the test's thread. */
final class ManualTimers implements Timers {

    private final PriorityQueue<Due> due =
            new PriorityQueue<>(Comparator.comparingLong(Due::at).thenComparingLong(Due::order));

    /** With this, a cancelled task may have begun already, and runs all the same. */
    private final @Nullable Random late;

    private long now = 1_000_000_000L;
    private long order;

    ManualTimers() {
        this(null);
    }

    ManualTimers(@Nullable Random late) {
        this.late = late;
    }

    private record Due(long at, long order, Runnable task) {}

    @Override
    public Cancel after(Duration pause, Runnable task) {
        Due entry = new Due(now + pause.toNanos(), order++, task);
        due.add(entry);
        return () -> {
            if (due.remove(entry) && late != null && late.nextInt(4) == 0) {
                due.add(new Due(now, order++, entry.task()));
            }
        };
    }

    @Override
    public long nanoTime() {
        return now;
    }

    /** How long until the next task, if there is one. */
    Optional<Duration> next() {
        return Optional.ofNullable(due.peek()).map(first -> Duration.ofNanos(Math.max(0, first.at() - now)));
    }

    int size() {
        return due.size();
    }

    /** Lets time pass, and what is due in it happen, in its order. */
    void advance(Duration by) {
        long until = now + by.toNanos();
        for (Due first = due.peek(); first != null && first.at() <= until; first = due.peek()) {
            due.remove();
            now = Math.max(now, first.at());
            first.task().run();
        }
        now = until;
    }
}
