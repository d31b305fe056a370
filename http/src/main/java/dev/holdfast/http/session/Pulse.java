package dev.holdfast.http.session;

import dev.holdfast.http.Deadlines;
import dev.holdfast.http.Rotation;
import org.jspecify.annotations.Nullable;

/**
 * The times of one connection: since when it is silent, since when it is hidden, and how old it is. Owned by the connection's part, except that any
 * thread hides and shows.
 */
final class Pulse {

    private final TransportSettings settings;
    private final Deadlines deadlines;
    private final Rotation rotation;
    private long sentAt;

    /** When the page was hidden, on the monotonic clock; null while it is shown. */
    private volatile @Nullable Long hiddenAt;

    private Deadlines.@Nullable Deadline deadline;

    Pulse(TransportSettings settings, Deadlines deadlines) {
        this.settings = settings;
        this.deadlines = deadlines;
        this.rotation = Rotation.after(
                settings.events().rotateAfter(), settings.events().time());
        this.sentAt = now();
    }

    private long now() {
        return settings.events().time().monotonicNanos();
    }

    /** Something was sent. */
    void sent() {
        sentAt = now();
    }

    /** Whether nothing was sent for so long that the client has to hear something. */
    boolean isSilent() {
        return silence() > 0 && now() - sentAt >= silence();
    }

    private long silence() {
        return settings.events().heartbeat().toNanos();
    }

    /** Whether the connection is old enough to be ended on purpose. */
    boolean rotationDue() {
        return rotation.isDue();
    }

    /** The page is hidden; since the first time that this was said. */
    void hide() {
        if (hiddenAt == null) {
            hiddenAt = now();
        }
    }

    void show() {
        hiddenAt = null;
    }

    boolean isHidden() {
        return hiddenAt != null;
    }

    /** Whether the page is hidden for longer than its seats are kept. */
    boolean graceIsOver() {
        Long since = hiddenAt;
        return since != null && now() - since >= settings.suspendGrace().toNanos();
    }

    /** Asks to be woken in time for whatever of these comes next. */
    void await(Runnable wake) {
        Deadlines.Deadline due = deadline;
        if (due == null) {
            due = deadlines.of(wake);
            deadline = due;
        }
        long now = now();
        long next = silence() > 0 ? sentAt + silence() - now : Long.MAX_VALUE;
        if (rotation.isEver()) {
            next = Math.min(next, rotation.at() - now);
        }
        Long since = hiddenAt;
        if (since != null && !graceIsOver()) {
            next = Math.min(next, since + settings.suspendGrace().toNanos() - now);
        }
        if (next != Long.MAX_VALUE) {
            due.set(now + next);
        }
    }

    /** Nobody is woken any more. */
    void close() {
        if (deadline != null) {
            deadline.cancel();
        }
    }
}
