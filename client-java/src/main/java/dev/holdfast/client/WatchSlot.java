package dev.holdfast.client;

import dev.holdfast.client.message.ServerMessage.Attached;
import dev.holdfast.client.message.ServerMessage.Events;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one session: who wants it, what was asked of the server, and where it stands. One question of a session is open at a time, until it has
 * its reply and, where it asked for the session, its attach: over SSE two could overtake each other, and of two that follow closely the server attaches
 * only the later. Guarded by the client's monitor, but for {@link #delivery}.
 *
 * <p>What is taken is decided by cursors alone: events that do not begin where the session stands are never taken, whatever was asked when.
 */
final class WatchSlot {

    /** How many positions that were passed are remembered, to know a repetition as one. */
    private static final int MAX_PASSED = 32;

    final String session;

    /** Held while a listener is called, so that its calls come one at a time, also from an old connection and a new one. */
    final ReentrantLock delivery = new ReentrantLock();

    /** Null once nobody wants it and the server is still to be told. */
    @Nullable
    SessionWatch wanted;

    /** Whether a command has no reply yet. */
    boolean unanswered;

    /** Whether an attach that was asked for has not come yet. */
    boolean unattached;

    /** Whether something else is wanted than the open question asks for. */
    boolean dirty;

    /** Whether events that follow can be taken. */
    boolean attached;

    /** Times it was asked for anew since the last events that were taken. */
    int restarts;

    /** Times that the listener threw in a row. */
    int refusals;

    /** Until it is asked for anew, or until its attach is overdue. */
    final Alarm pause;

    /** Whose watch the last question asked for. */
    @Nullable
    SessionWatch asked;

    private @Nullable String requested;
    private final Deque<String> passed = new ArrayDeque<>();

    WatchSlot(String session, Alarm pause) {
        this.session = session;
        this.pause = pause;
    }

    /** What becomes of something that came. */
    enum Verdict {
        TAKE,
        PASS_OVER,
        /** It does not fit to where the session stands, so the session is attached anew. */
        RESTART
    }

    /** Whether a question is open. */
    boolean isBusy() {
        return unanswered || unattached;
    }

    /** Notes that the session is asked for from its cursor on, which is returned. */
    @Nullable
    String request(SessionWatch watch) {
        unanswered = true;
        unattached = true;
        attached = false;
        asked = watch;
        requested = watch.cursor;
        return requested;
    }

    /** Notes that it is asked not to come any more. */
    void requestNothing() {
        unanswered = true;
        attached = false;
        asked = null;
    }

    void lost() {
        unanswered = false;
        unattached = false;
        dirty = false;
        attached = false;
        pause.stop();
    }

    Verdict verdict(Attached message, SessionWatch watch) {
        boolean expected = unattached;
        unattached = false;
        if (asked != watch) {
            return Verdict.PASS_OVER; // meant for a watch that has ended; the present one is asked for next
        }
        if (message.answer() == Attached.Answer.SNAPSHOT) {
            attached = true; // also unasked: it says all there is
            return Verdict.TAKE;
        }
        if (!expected) {
            return message.cursor().equals(watch.cursor) ? Verdict.PASS_OVER : Verdict.RESTART;
        }
        attached = fits(message, watch);
        return attached ? Verdict.TAKE : Verdict.RESTART;
    }

    /** Whether an attach continues what the client has: not if that moved on since, as by an old connection's last events. */
    private boolean fits(Attached message, SessionWatch watch) {
        return Objects.equals(requested, watch.cursor)
                && (message.cursor().equals(requested) || !passed.contains(message.cursor()));
    }

    Verdict verdict(Events message, SessionWatch watch) {
        if (!attached) {
            return Verdict.PASS_OVER;
        }
        if (message.from().equals(watch.cursor)) {
            return Verdict.TAKE;
        }
        boolean repetition = message.cursor().equals(watch.cursor) || passed.contains(message.cursor());
        return repetition ? Verdict.PASS_OVER : Verdict.RESTART;
    }

    void taken(Attached message, SessionWatch watch) {
        if (wanted == watch) {
            if (message.answer() == Attached.Answer.SNAPSHOT) {
                passed.clear(); // it may stand before them
            }
            refusals = 0;
        }
        watch.cursor = message.cursor();
    }

    void taken(Events message, SessionWatch watch) {
        if (wanted == watch) {
            pass(watch.cursor, message.cursor());
            refusals = 0;
            restarts = 0;
        }
        watch.cursor = message.cursor();
    }

    private void pass(@Nullable String before, String now) {
        if (before != null && !before.equals(now)) {
            if (passed.size() == MAX_PASSED) {
                passed.removeFirst();
            }
            passed.addLast(before);
        }
    }
}
