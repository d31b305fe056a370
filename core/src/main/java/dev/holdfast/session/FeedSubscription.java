package dev.holdfast.session;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.Closed;
import dev.holdfast.error.HoldfastException.CursorTooOld;
import dev.holdfast.error.HoldfastException.SessionNotFound;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.Shards;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A listener's place in a feed. It has no queue and, while nothing happens, no thread: a change starts a task that reads the stored feed
 * from here to its end and calls the listener, then waits for the next change. Since the next task can only start once this one waits,
 * calls never overlap.
 *
 * <p>{@link #close} is safe on any thread, also inside the listener: no call begins after it. One that runs meanwhile on another thread is
 * not waited for.
 */
public final class FeedSubscription implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(FeedSubscription.class);

    private static final int EVENTS_PER_READ = 256;
    private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

    private final Shards<SessionEngine> shards;
    private final SessionRow session;
    private final FeedListener listener;

    /** Another one when the session's shard changed hands, by the task that runs. */
    private volatile FeedReader reader;

    private final Runnable wake = this::start;
    private volatile boolean closed;

    FeedSubscription(Shards<SessionEngine> shards, SessionRow session, FeedReader reader, FeedListener listener) {
        this.shards = shards;
        this.session = session;
        this.reader = reader;
        this.listener = listener;
    }

    /** Starts a task. Any thread. */
    void start() {
        try {
            reader.engine().callbacks().execute(this::deliver);
        } catch (RejectedExecutionException e) { // Holdfast is being closed
            close();
        }
    }

    private void deliver() {
        try {
            if (!followed()) {
                close();
                return;
            }
            List<FeedEvent> events = read();
            while (!closed && !events.isEmpty()) {
                for (FeedEvent event : events) {
                    call(() -> listener.event(event));
                }
                events = read();
            }
            reader.onChange(wake);
            if (closed) {
                close(); // the reader may be another one since
            }
        } catch (SessionNotFound e) {
            call(listener::gone);
            close();
        } catch (Closed e) { // in the middle of a read: the shard changed hands, or Holdfast is closed
            start();
        } catch (HoldfastException e) {
            LOG.warn(
                    "Listeners of session \"{}\" wait {} s: {}",
                    reader.sessionId(),
                    RETRY_AFTER.toSeconds(),
                    e.getMessage());
            reader.engine().streams().timers().after(RETRY_AFTER, wake);
        }
    }

    /** Goes on at the engine that the session's shard has now. Returns false if there is none any more: Holdfast is closed. */
    private boolean followed() {
        FeedReader before = reader;
        if (!before.hasEnded()) {
            return true;
        }
        try {
            reader = shards.on(
                    session.key(), now -> new FeedReader(now, session, now.watch(session), before.position()));
        } catch (Closed e) {
            return false;
        }
        before.cancel(wake);
        before.close();
        return true;
    }

    private List<FeedEvent> read() {
        while (true) {
            try {
                return reader.read(EVENTS_PER_READ);
            } catch (CursorTooOld e) {
                long from = reader.position();
                reader.skipTo(e.first());
                call(() -> listener.missed(from, e.first()));
            }
        }
    }

    private void call(Runnable listening) {
        if (closed) {
            return;
        }
        try {
            listening.run();
        } catch (RuntimeException | Error e) { // the application's own failure
            LOG.warn("A listener of session \"{}\" failed", reader.sessionId(), e);
        }
    }

    /** Ends the subscription. Harmless when done twice. */
    @Override
    public void close() {
        closed = true;
        reader.cancel(wake);
        reader.close();
    }
}
