package dev.holdfast.stream;

import dev.holdfast.store.Committer;
import dev.holdfast.store.Time;
import dev.holdfast.store.Timers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Discarded streams whose readers are still reading. Each may linger for a bounded time, and all together hold a bounded number of bytes;
 * beyond either the readers are cut abortively. All wait equally long, so one timer for the oldest is enough. Safe for any thread.
 */
final class Linger {

    private record Guest(long bytes, long dueNanos) {}

    private final Time time;
    private final Timers timers;
    private final StreamLimits limits;
    private final Committer committer;
    private final Consumer<StreamLog> over;
    private final Map<StreamLog, Guest> guests = new LinkedHashMap<>(); // guarded by this
    private long held; // guarded by this
    private Timers.@Nullable Handle alarm; // guarded by this; null if nobody lingers
    private long alarms; // set so far; guarded by this

    /**
     * @param over told of each stream whose readers have left or were cut
     */
    Linger(Time time, Timers timers, StreamLimits limits, Committer committer, Consumer<StreamLog> over) {
        this.time = time;
        this.timers = timers;
        this.limits = limits;
        this.committer = committer;
        this.over = over;
    }

    /** The stream was discarded while it had readers. */
    synchronized void begin(StreamLog log) {
        Guest guest = new Guest(
                log.open().heldBytes(),
                time.monotonicNanos() + limits.maxLinger().toNanos());
        guests.put(log, guest);
        held += guest.bytes();
        Iterator<Map.Entry<StreamLog, Guest>> oldest = guests.entrySet().iterator();
        while (held > limits.maxLingerBytes() && oldest.hasNext()) {
            Map.Entry<StreamLog, Guest> entry = oldest.next();
            oldest.remove();
            held -= entry.getValue().bytes();
            entry.getKey().attached().cutAll();
            over.accept(entry.getKey());
        }
        if (log.attached().count() == 0) {
            end(log); // the last reader left meanwhile
        } else {
            arm();
        }
    }

    /** The last reader left by itself. */
    synchronized void end(StreamLog log) {
        Guest guest = guests.remove(log);
        if (guest != null) {
            held -= guest.bytes();
        }
        arm();
        over.accept(log);
    }

    /** Guarded by this. */
    private void arm() {
        Timers.Handle armed = alarm;
        if (guests.isEmpty() && armed != null) {
            armed.cancel();
            alarm = null;
        } else if (!guests.isEmpty() && armed == null) {
            long due = guests.values().iterator().next().dueNanos();
            long number = ++alarms;
            alarm = timers.after(left(due - time.monotonicNanos()), () -> cutDue(number));
        }
    }

    private void cutDue(long rang) {
        due(rang).forEach(log -> {
            log.attached().cutAll();
            over.accept(log);
        });
        committer.nudge();
    }

    /**
     * Takes those out that have lingered long enough.
     *
     * @param rang the alarm; another one may have been set while it waited for the lock, which stays
     */
    private synchronized List<StreamLog> due(long rang) {
        long now = time.monotonicNanos();
        List<StreamLog> due = new ArrayList<>();
        Iterator<Map.Entry<StreamLog, Guest>> oldest = guests.entrySet().iterator();
        while (oldest.hasNext()) {
            Map.Entry<StreamLog, Guest> entry = oldest.next();
            if (entry.getValue().dueNanos() - now > 0) {
                break;
            }
            oldest.remove();
            held -= entry.getValue().bytes();
            due.add(entry.getKey());
        }
        if (rang == alarms) {
            alarm = null;
        }
        arm();
        return due;
    }

    /** The time until then, in the whole milliseconds of timers: never too short. */
    static Duration left(long nanos) {
        return Duration.ofMillis(Math.ceilDiv(Math.max(0, nanos), 1_000_000L));
    }
}
