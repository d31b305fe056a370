package dev.holdfast.stream;

import dev.holdfast.store.Committer;
import dev.holdfast.store.Timers;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Discarded streams whose readers are still reading. Each may linger for a bounded time, and all together hold a bounded number of bytes;
 * beyond either the readers are cut abortively. Safe for any thread.
 */
final class Linger {

    private record Guest(long bytes, Timers.Handle deadline) {}

    private final Timers timers;
    private final StreamLimits limits;
    private final Committer committer;
    private final Consumer<StreamLog> over;
    private final Map<StreamLog, Guest> guests = new LinkedHashMap<>(); // guarded by this
    private long held; // guarded by this

    /**
     * @param over told of each stream whose readers have left or were cut
     */
    Linger(Timers timers, StreamLimits limits, Committer committer, Consumer<StreamLog> over) {
        this.timers = timers;
        this.limits = limits;
        this.committer = committer;
        this.over = over;
    }

    /** The stream was discarded while it had readers. */
    synchronized void begin(StreamLog log) {
        Timers.Handle deadline = timers.after(limits.maxLinger(), () -> cut(log));
        Guest guest = new Guest(log.open().heldBytes(), deadline);
        guests.put(log, guest);
        held += guest.bytes();
        Iterator<Map.Entry<StreamLog, Guest>> oldest = guests.entrySet().iterator();
        while (held > limits.maxLingerBytes() && oldest.hasNext()) {
            Map.Entry<StreamLog, Guest> entry = oldest.next();
            oldest.remove();
            held -= entry.getValue().bytes();
            entry.getValue().deadline().cancel();
            entry.getKey().attached().cutAll();
            over.accept(entry.getKey());
        }
        if (log.attached().count() == 0) {
            end(log); // the last reader left meanwhile
        }
    }

    /** The last reader left by itself. */
    synchronized void end(StreamLog log) {
        Guest guest = guests.remove(log);
        if (guest != null) {
            held -= guest.bytes();
            guest.deadline().cancel();
        }
        over.accept(log);
    }

    private void cut(StreamLog log) {
        log.attached().cutAll();
        end(log);
        committer.nudge();
    }
}
