package dev.holdfast.session;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.Closed;
import dev.holdfast.error.HoldfastException.CursorAhead;
import dev.holdfast.error.HoldfastException.CursorTooOld;
import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.SessionNotFound;
import dev.holdfast.store.FeedRow;
import dev.holdfast.store.MessageRow;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.StoreReads;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * Reads a session's feed from a position on, and then goes on as it grows: replay and live are the same loop over the stored feed
 * (NO-SEAM). It holds no queue; one that falls behind by more than the feed retains is told so (SLOW-READER-ALONE).
 *
 * <p>One thread at a time; {@link #onChange} and {@link #cancel} from any. Close it.
 */
public final class FeedReader implements AutoCloseable {

    private static final Set<FeedRow.Kind> TELL_OF_A_MESSAGE =
            EnumSet.of(FeedRow.Kind.MESSAGE_ADDED, FeedRow.Kind.MESSAGE_UPDATED, FeedRow.Kind.TURN_AWAITING);

    private final SessionEngine engine;
    private final SessionRow session;
    private final FeedWatch watch;
    private long next;

    /** Version of the watch before the last read; none before the first. */
    private volatile long seen = -1;

    FeedReader(SessionEngine engine, SessionRow session, FeedWatch watch, long from) {
        this.engine = engine;
        this.session = session;
        this.watch = watch;
        this.next = from;
    }

    public String sessionId() {
        return session.id();
    }

    SessionEngine engine() {
        return engine;
    }

    /** Number of the event this reader goes on with. */
    public long position() {
        return next;
    }

    /**
     * Reads what is there, without waiting for more, and moves on behind it.
     *
     * @param limit events at most, 1 to {@value SessionLimits#MAX_FEED_PAGE}
     * @throws CursorTooOld if events at this position were trimmed away
     * @throws CursorAhead if the position lies beyond the feed's end
     * @throws SessionNotFound if the session was deleted
     * @throws Closed if there is nothing, and nothing more will be told here: Holdfast was closed, or the session's shard changed hands. Open
     *     another reader at this {@link #position()}
     */
    public List<FeedEvent> read(int limit) {
        checkLimit(limit);
        seen = watch.version(); // before the read: what comes after it wakes us
        List<FeedEvent> events = engine.streams().store().read(reads -> read(reads, limit));
        checkGoesOn(events);
        next += events.size();
        return events;
    }

    /**
     * Reads as {@link #read(int)} does, and tells of the same instant which turns are live with which streams, and how the messages stand: enough to
     * follow the session and its turns without a seam. A stream that is not among them has ended, and where the events reach the feed's end
     * nothing of it is missing in them.
     *
     * @param limit events at most, 1 to {@value SessionLimits#MAX_FEED_PAGE}
     * @param maxMessageBytes contents of a message that comes along
     * @param maxBytes contents of all that come along; no event follows the one whose message reaches it
     * @throws Closed as {@link #read(int)}
     */
    public FeedStep step(int limit, int maxMessageBytes, long maxBytes) {
        checkLimit(limit);
        seen = watch.version();
        FeedStep step = engine.streams().store().read(reads -> step(reads, limit, maxMessageBytes, maxBytes));
        checkGoesOn(step.events());
        next += step.events().size();
        return step;
    }

    /** Who finds nothing waits for more, and here nobody will tell of it. */
    private void checkGoesOn(List<FeedEvent> found) {
        if (found.isEmpty() && watch.instanceClosed()) {
            throw new Closed(
                    "The feed of session \"%s\" ends here: Holdfast was closed, or the session is another node's now. "
                                    .formatted(session.id())
                            + "Open it again at the same position.");
        }
    }

    private FeedStep step(StoreReads reads, int limit, int maxMessageBytes, long maxBytes) {
        List<FeedEvent> read = read(reads, limit);
        Map<String, Message> messages = new HashMap<>();
        long bytes = 0;
        int taken = 0;
        while (taken < read.size() && bytes < maxBytes) {
            FeedEvent event = read.get(taken++);
            String id = event.message();
            if (TELL_OF_A_MESSAGE.contains(event.kind()) && id != null && !messages.containsKey(id)) {
                Optional<MessageRow> row =
                        reads.message(session.key(), id).filter(found -> found.bytes() <= maxMessageBytes);
                if (row.isPresent()) {
                    messages.put(id, MessagePath.message(reads, row.get()));
                    bytes += row.get().bytes();
                }
            }
        }
        List<FeedEvent> events = read.subList(0, taken);
        boolean atEnd = next + events.size() == reads.feedNext(session.key());
        return new FeedStep(events, messages, atEnd, SessionFeed.live(reads, SessionCursor.at(session, next)));
    }

    /** Whether something may have happened since the last read. Cheap: it asks nobody. */
    public boolean hasChanged() {
        return watch.version() != seen || watch.instanceClosed();
    }

    /** Whether nothing will change here any more: the engine was closed. */
    boolean hasEnded() {
        return watch.instanceClosed();
    }

    private List<FeedEvent> read(StoreReads reads, int limit) {
        SessionEngine.require(reads, session);
        List<FeedRow> rows = reads.feed(session.key(), next, limit);
        if (rows.isEmpty()
                ? next != reads.feedNext(session.key())
                : rows.getFirst().seq() != next) {
            throw notThere(reads);
        }
        return rows.stream().map(FeedEvent::of).toList();
    }

    private static void checkLimit(int limit) {
        if (limit < 1 || limit > SessionLimits.MAX_FEED_PAGE) {
            throw new InvalidArgument(
                    "A read of a feed is of 1 to %d events; got %d.".formatted(SessionLimits.MAX_FEED_PAGE, limit));
        }
    }

    private HoldfastException notThere(StoreReads reads) {
        long first = reads.feedFirst(session.key());
        return next < first
                ? new CursorTooOld(session.id(), next, first)
                : new CursorAhead(session.id(), next, reads.feedNext(session.key()));
    }

    /** Passes over events that were trimmed away. */
    void skipTo(long position) {
        next = position;
    }

    /** Waits until there is at least one event, then reads as {@link #read(int)}. */
    public List<FeedEvent> next(int limit) throws InterruptedException {
        while (true) {
            List<FeedEvent> events = read(limit);
            if (!events.isEmpty()) {
                return events;
            }
            awaitChange(Long.MAX_VALUE);
        }
    }

    /** As {@link #next(int)}, for at most {@code timeout}; empty if nothing happened by then. */
    public Optional<List<FeedEvent>> next(int limit, Duration timeout) throws InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (true) {
            List<FeedEvent> events = read(limit);
            if (!events.isEmpty()) {
                return Optional.of(events);
            }
            if (!awaitChange(deadline)) {
                return Optional.empty();
            }
        }
    }

    private boolean awaitChange(long deadline) throws InterruptedException {
        Thread thread = Thread.currentThread();
        Runnable wake = () -> LockSupport.unpark(thread);
        watch.onChange(seen, wake);
        try {
            while (watch.version() == seen) {
                checkGoesOn(List.of());
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                if (deadline == Long.MAX_VALUE) {
                    LockSupport.park(this);
                } else {
                    long left = deadline - System.nanoTime();
                    if (left <= 0) {
                        return false;
                    }
                    LockSupport.parkNanos(this, left);
                }
            }
            return true;
        } finally {
            watch.cancel(wake);
        }
    }

    /**
     * Asks to be told of the next change after the last read: {@code wake} runs once, soon after the feed grew or the session was deleted,
     * or at once if that happened already. A hint: it may come without a change. {@code wake} must not block.
     */
    public void onChange(Runnable wake) {
        watch.onChange(seen, wake);
    }

    /** Takes back an {@link #onChange} that did not run yet. */
    public void cancel(Runnable wake) {
        watch.cancel(wake);
    }

    /** Stops watching. Harmless when done twice; a thread waiting in {@link #next(int)} is not woken by it. */
    @Override
    public void close() {
        watch.close();
    }
}
