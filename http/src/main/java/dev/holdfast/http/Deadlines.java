package dev.holdfast.http;

import dev.holdfast.store.Time;
import dev.holdfast.store.Timers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs many actions, each at a time of its own, with one timer: ten thousand silent connections that each want to be told after some seconds
 * cost an entry in a table, and their timer goes off at most once in {@value #GRAIN_MILLIS} ms. While nobody waits there is no timer
 * (IDLE-IS-SILENT).
 *
 * <p>A deadline that is moved on stays where it is in the table and comes early, once: so a connection that moves it with every event, as all
 * do, leaves the table alone for as long as the shortest silence lasts.
 *
 * <p>Thread-safe.
 */
public final class Deadlines {

    private static final Logger LOG = LoggerFactory.getLogger(Deadlines.class);
    private static final long GRAIN_MILLIS = 10;
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final Time time;
    private final Timers timers;

    /** Those that wait, the earliest first. Guarded by this, as all below. */
    private final TreeSet<Deadline> waiting = new TreeSet<>();

    private long made;
    private Timers.@Nullable Handle timer;

    /** Grows with each timer: one that was cancelled too late finds that it is not the last. */
    private long timersMade;

    private long timerAt;
    private long lastRun;

    /**
     * @param time whose monotonic clock the deadlines are told in
     * @param timers wakes this on that clock
     */
    public Deadlines(Time time, Timers timers) {
        this.time = time;
        this.timers = timers;
        this.lastRun = time.monotonicNanos() - GRAIN_MILLIS * NANOS_PER_MILLI;
    }

    /**
     * A deadline that is not set yet.
     *
     * @param action what it runs, each time; must be short and must not throw
     */
    public synchronized Deadline of(Runnable action) {
        return new Deadline(made++, action);
    }

    /** One who waits, again and again. {@link #set} is for one thread at a time. */
    public final class Deadline implements Comparable<Deadline> {
        private final long number;
        private final Runnable action;
        private long at;

        /** Whether it is in the table; is changed under the lock. */
        private volatile boolean waits;

        private Deadline(long number, Runnable action) {
            this.number = number;
            this.action = action;
        }

        /** Lets the action run once, soon after the clock has reached {@code nanos}, or before. */
        public void set(long nanos) {
            // one that goes off at this moment runs its action after this, which is soon enough
            if (!waits || nanos - at < 0) {
                put(this, nanos);
            }
        }

        /** The action does not run any more, unless it does already. */
        public void cancel() {
            remove(this);
        }

        /** No two readings lie apart by half of all numbers, but they may overflow in between. */
        @Override
        public int compareTo(Deadline other) {
            return at != other.at ? Long.compare(at - other.at, 0) : Long.compare(number, other.number);
        }
    }

    private synchronized void put(Deadline deadline, long nanos) {
        if (deadline.waits) {
            waiting.remove(deadline);
        }
        deadline.at = nanos;
        deadline.waits = true;
        waiting.add(deadline);
        arm();
    }

    private synchronized void remove(Deadline deadline) {
        if (deadline.waits) {
            deadline.waits = false;
            waiting.remove(deadline);
            arm();
        }
    }

    /** Sets the timer for the first who waits, if it is not set for that time or before. */
    private void arm() {
        Timers.Handle set = timer;
        if (waiting.isEmpty()) {
            if (set != null) {
                set.cancel();
                timer = null;
            }
            return;
        }
        long next = lastRun + GRAIN_MILLIS * NANOS_PER_MILLI;
        if (waiting.first().at - next > 0) {
            next = waiting.first().at;
        }
        if (set == null || next - timerAt < 0) {
            if (set != null) {
                set.cancel();
            }
            timerAt = next;
            long millis = Math.ceilDiv(Math.max(0, next - time.monotonicNanos()), NANOS_PER_MILLI); // never too early
            long number = ++timersMade;
            timer = timers.after(Duration.ofMillis(millis), () -> run(number));
        }
    }

    private void run(long number) {
        List<Runnable> due = new ArrayList<>();
        synchronized (this) {
            if (number != timersMade) {
                return;
            }
            timer = null;
            lastRun = time.monotonicNanos();
            while (!waiting.isEmpty() && waiting.first().at - lastRun <= 0) {
                Deadline deadline = waiting.removeFirst();
                deadline.waits = false;
                due.add(deadline.action);
            }
            arm();
        }
        for (Runnable action : due) {
            try {
                action.run();
            } catch (RuntimeException | Error e) { // one that cannot be told must not keep it from the others
                LOG.warn("A deadline could not be told", e);
            }
        }
    }
}
