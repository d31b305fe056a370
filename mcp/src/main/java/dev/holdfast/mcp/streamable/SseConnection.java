package dev.holdfast.mcp.streamable;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.CursorTooOld;
import dev.holdfast.error.HoldfastException.StreamGone;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.http.Deadlines;
import dev.holdfast.http.Exchange;
import dev.holdfast.http.Headers;
import dev.holdfast.mcp.events.EventBatch;
import dev.holdfast.mcp.events.EventReader;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection, a reader of one stream. It writes what it reads and nothing else (VISIBLE-IS-DURABLE), and while there is nothing to read it
 * has no thread: the stream, the clock, and whoever ends it wake it. A slow client holds up this reader alone.
 *
 * <p>It ends cleanly with its stream, or earlier when it is superseded or closed on purpose; the client is then told when to come back. What a
 * connection was given is not forgotten: until its stream's life is over the client may come back for it.
 */
final class SseConnection implements Exchange.Rest {

    private static final Logger LOG = LoggerFactory.getLogger(SseConnection.class);

    private static final Headers.Block EVENTS = Headers.Block.of(
            "Content-Type",
            "text/event-stream; charset=utf-8",
            "Cache-Control",
            "no-store, no-transform",
            "X-Accel-Buffering",
            "no",
            "X-Content-Type-Options",
            "nosniff");

    private static final int TOUCHES_PER_LIFE = 4;

    private final Services services;
    private final LiveSession session;
    private final String stream;
    private final Exchange exchange;
    private EventReader reader;
    private final boolean primed;
    private final SseEvents events = new SseEvents();

    private Exchange.@Nullable Sink sink;
    private long sentAt;
    private long touchedAt;
    private long writtenTo;

    /** Up to where it was written before a later write succeeded. */
    private long reached;

    private @Nullable Runnable registered;
    private Deadlines.@Nullable Deadline deadline;

    private enum When {
        AT_ONCE,
        UP_TO_DATE
    }

    /**
     * How a connection is to be ended.
     *
     * @param retry how long the client is asked to wait
     */
    private record Ending(Duration retry, When when) {}

    /** Set by any thread. */
    private volatile @Nullable Ending ending;

    private volatile @Nullable Runnable wake;

    /**
     * @param session was entered for this connection, which leaves it at its end
     * @param reader is closed at its end
     */
    SseConnection(Services services, LiveSession session, String stream, Exchange exchange, EventReader reader) {
        this.services = services;
        this.session = session;
        this.stream = stream;
        this.exchange = exchange;
        this.reader = reader;
        this.primed = Revisions.isPrimed(session.revision());
    }

    /** Begins the response: its head, and for clients that take it an id to come back with before there is a message. */
    void begin() throws IOException {
        Exchange.Sink out = exchange.respond(200, new Headers().add(EVENTS));
        sink = out;
        touchedAt = now(); // by entering the session
        if (primed) {
            events.priming(reader.id(nonce()), services.settings().retry());
        }
        flush(out);
    }

    /** Any number but 0, so that no two ids are the same. */
    private long nonce() {
        return services.settings().time().randomLong() | 1;
    }

    @Override
    public boolean goOn(Runnable waker) throws IOException, InterruptedException {
        wake = waker;
        Exchange.Sink out = sink;
        if (out == null) {
            return false;
        }
        try {
            if (!copy(out)) {
                return false;
            }
        } catch (StreamNotFound | StreamGone | CursorTooOld e) {
            LOG.debug("The stream of a connection is gone: {}", e.getMessage());
            return false; // who comes back is told
        } catch (HoldfastException.Closed e) {
            if (!reopened(waker)) {
                exchange.abort();
                return false;
            }
            waker.run();
            return true;
        }
        await(waker);
        return true;
    }

    /** In a cluster the readers of a shard that changes hands are ended; this one goes on where it was, whoever writes its stream now. */
    private boolean reopened(Runnable waker) {
        if (!services.nodes().isCluster() || services.closed().get() || session.isGone()) {
            return false;
        }
        EventReader before = reader;
        try {
            reader = services.events().tail(session.id(), stream, before.position());
        } catch (HoldfastException e) {
            LOG.debug("The stream of a connection is not reached at the moment: {}", e.getMessage());
            return false;
        }
        before.cancel(waker);
        before.close();
        return true;
    }

    /** Writes all there is. Returns whether the connection goes on. */
    private boolean copy(Exchange.Sink out) throws IOException, InterruptedException {
        while (true) {
            Ending end =
                    ending; // looked at before the read, which then has all that was stored before it was asked for
            if (end != null && end.when() == When.AT_ONCE) {
                return sayGoodbye(out, end);
            }
            Optional<EventBatch> next = reader.next(StreamableLimits.READ_BYTES, Duration.ZERO);
            if (next.isPresent()) {
                events.messages(next.get().events());
                flush(out);
                if (next.get().ended()) {
                    return false;
                }
            }
            if (next.isEmpty() || next.get().upToDate()) {
                if (end != null) {
                    return sayGoodbye(out, end);
                }
                if (next.isEmpty()) {
                    keepAlive(out);
                }
                return true;
            }
        }
    }

    private boolean sayGoodbye(Exchange.Sink out, Ending end) throws IOException {
        events.retry(end.retry());
        write(out); // to a connection that is replaced, perhaps because it was lost
        return false;
    }

    /** Writes what was collected. That it succeeds shows that the connection went on after what was written before, and no more. */
    private void flush(Exchange.Sink out) throws IOException {
        write(out);
        reached = writtenTo;
        writtenTo = reader.position();
    }

    private void write(Exchange.Sink out) throws IOException {
        if (!events.isEmpty()) {
            out.write(events.take());
        }
        out.flush();
        sentAt = now();
    }

    private void keepAlive(Exchange.Sink out) throws IOException {
        if (exchange.gone()) {
            throw new IOException("The client is gone");
        }
        boolean silent = !heartbeat().isZero() && now() - silentUntil() >= 0;
        if (silent || now() - touchAt() >= 0) {
            touchedAt = now();
            session.touch();
        }
        if (silent) {
            events.comment();
            flush(out);
        }
    }

    private void await(Runnable waker) {
        Deadlines.Deadline due = deadline;
        if (due == null) {
            due = services.deadlines().of(waker);
            deadline = due;
            registered = waker;
        }
        long touch = touchAt();
        due.set(!heartbeat().isZero() && silentUntil() - touch < 0 ? silentUntil() : touch);
        reader.onChange(waker);
    }

    /** When the session's life is to be extended: while somebody is connected it does not end, however long heartbeats are, or none. */
    private long touchAt() {
        return touchedAt + services.settings().sessionLife().toNanos() / TOUCHES_PER_LIFE;
    }

    private Duration heartbeat() {
        return services.settings().heartbeat();
    }

    private long silentUntil() {
        return sentAt + heartbeat().toNanos();
    }

    private long now() {
        return services.settings().time().monotonicNanos();
    }

    /** Another connection reads the stream from now on. Any thread. */
    void supersede() {
        end(new Ending(services.settings().retry(), When.AT_ONCE));
    }

    /** Ends the connection, and not its stream, behind what was stored until now; if its client knows how to come back. Any thread. */
    void close(Duration retry) {
        if (primed) {
            end(new Ending(retry, When.UP_TO_DATE));
        }
    }

    private void end(Ending end) {
        ending = end;
        Runnable waker = wake;
        if (waker != null) {
            waker.run();
        }
    }

    void abort() {
        exchange.abort();
    }

    @Override
    public void close() {
        if (registered != null) {
            reader.cancel(registered);
        }
        if (deadline != null) {
            deadline.cancel();
        }
        reader.close();
        session.touch(); // it was in use until now
        session.detach(stream, this, reached);
    }
}
