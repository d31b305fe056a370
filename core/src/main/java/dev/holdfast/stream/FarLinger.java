package dev.holdfast.stream;

import dev.holdfast.store.Time;
import dev.holdfast.store.Timers;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.function.LongConsumer;

/**
 * Discarded streams that other nodes may still be reading: their rows stay for as long as readers here may linger. All wait equally long, so they
 * are over in the order in which they began, and one timer is enough. Confined to the committer's thread.
 */
final class FarLinger {

    private record Guest(long key, long dueNanos) {}

    private final Time time;
    private final Timers timers;
    private final Duration length;
    private final Runnable nudge;
    private final LongConsumer over;
    private final ArrayDeque<Guest> guests = new ArrayDeque<>();
    private boolean armed;
    private volatile boolean rang; // set by the timer

    /**
     * @param nudge has {@link #look} called soon; run by any thread
     * @param over told of each stream whose rows may go
     */
    FarLinger(Time time, Timers timers, Duration length, Runnable nudge, LongConsumer over) {
        this.time = time;
        this.timers = timers;
        this.length = length;
        this.nudge = nudge;
        this.over = over;
    }

    /** The stream was discarded. */
    void begin(long key) {
        guests.addLast(new Guest(key, time.monotonicNanos() + length.toNanos()));
        arm();
    }

    /** Lets those go that have lingered long enough. */
    void look() {
        if (!rang) {
            return;
        }
        rang = false;
        armed = false;
        long now = time.monotonicNanos();
        for (Guest first = guests.peekFirst();
                first != null && first.dueNanos() - now <= 0;
                first = guests.peekFirst()) {
            over.accept(guests.removeFirst().key());
        }
        arm();
    }

    private void arm() {
        Guest first = guests.peekFirst();
        if (armed || first == null) {
            return;
        }
        armed = true;
        var unused = timers.after(Linger.left(first.dueNanos() - time.monotonicNanos()), () -> {
            rang = true;
            nudge.run();
        });
    }
}
