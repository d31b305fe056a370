package dev.holdfast.http.session;

import dev.holdfast.access.Principal;
import dev.holdfast.http.Json;
import dev.holdfast.session.FeedEvent;
import dev.holdfast.session.FeedReader;
import dev.holdfast.session.FeedStep;
import dev.holdfast.session.LiveTurn;
import dev.holdfast.session.Message;
import dev.holdfast.session.Session;
import dev.holdfast.session.SessionCursor;
import dev.holdfast.stream.Attach;
import dev.holdfast.stream.Cursor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Reads a session on: its feed, and the streams of its live turns, in the one order that a client can rely on.
 *
 * <ol>
 *   <li>One step of the feed tells what happened, and which streams are live at the same instant.
 *   <li>A stream that is followed and lives no more has ended by then: the rest of it comes first. So every chunk comes before its message, which the events
 *       of the step, or later ones, tell of.
 *   <li>The events of the step.
 *   <li>Where they reach the feed's end, the streams that live and are not followed yet are opened: what led to them has been told, and what follows them has
 *       not happened. A turn that was begun anew is another stream.
 *   <li>What the live streams have.
 * </ol>
 *
 * <p>The cursor of each frame says how far all of it got, so it makes no difference at which frame a client is cut. Owned by one thread. Close it.
 */
final class SessionPull implements AutoCloseable {

    private final Transport transport;
    private final Principal principal;
    private final Session session;
    private final FeedReader feed;
    private final List<TurnStream> streams = new ArrayList<>();

    /** Those of the streams that have ended on disk. */
    private final Deque<TurnStream> ending = new ArrayDeque<>();

    /** Events that were read and not told yet. */
    private final Deque<FeedEvent> events = new ArrayDeque<>();

    /** Their messages, as of the instant when they were read: a newer one could have text in it whose chunks still follow. */
    private Map<String, Message> messages = Map.of();

    /** Whether the last step reached the feed's end; if not, nobody will say that there is more. */
    private boolean atEnd;

    /** Streams that live as of the feed's end, to be opened behind the events. */
    private List<LiveTurn> live = List.of();

    SessionPull(Transport transport, Principal principal, Session session, FeedReader feed) {
        this.transport = transport;
        this.principal = principal;
        this.session = session;
        this.feed = feed;
    }

    /**
     * How far it got.
     *
     * @param more whether there may be more right now
     */
    record Result(SessionCursor cursor, boolean more) {}

    /** Follows a stream from where the client was. */
    void follow(TurnStream stream) {
        streams.add(stream);
    }

    Result pull(EventsFrame frame, SessionCursor from) throws InterruptedException {
        SessionCursor cursor = from;
        if (events.isEmpty() && ending.isEmpty() && mayHaveMore()) {
            step();
        }
        boolean more = false;
        while (!ending.isEmpty() && frame.room() > 0) {
            TurnStream stream = ending.element();
            more = stream.copy(frame, transport.json());
            cursor = cursor.withStream(stream.incarnation(), stream.position());
            if (!stream.isEnded()) {
                break; // there is no room; or its end is on disk and does not show yet, and wakes us
            }
            cursor = cursor.withoutStream(stream.incarnation());
            ending.remove();
            stream.close();
        }
        while (ending.isEmpty() && !events.isEmpty() && frame.room() > 0) {
            FeedEvent event = events.remove();
            frame.add(FeedViews.event(session, event, messages));
            cursor = cursor.withFeed(event.seq() + 1);
        }
        if (events.isEmpty()) {
            messages = Map.of();
        }
        if (ending.isEmpty() && events.isEmpty()) {
            cursor = open(frame, cursor);
        }
        for (TurnStream stream : streams) {
            more |= stream.copy(frame, transport.json());
            cursor = cursor.withStream(stream.incarnation(), stream.position());
        }
        boolean goesOn = ending.isEmpty() && (!events.isEmpty() || mayHaveMore());
        return new Result(cursor, more || goesOn);
    }

    private boolean mayHaveMore() {
        return !atEnd || feed.hasChanged();
    }

    private void step() {
        FeedStep step = feed.step(
                TransportLimits.MAX_FEED_BATCH,
                TransportLimits.MAX_INLINE_MESSAGE_BYTES,
                TransportLimits.MAX_FRAME_BYTES);
        events.addAll(step.events());
        messages = step.messages();
        atEnd = step.atEnd();
        live = step.atEnd() ? step.live() : List.of();
        Set<Long> incarnations = step.live().stream()
                .flatMap(turn -> turn.streamNow().stream())
                .map(LiveTurn.LiveStream::incarnation)
                .collect(Collectors.toSet());
        for (Iterator<TurnStream> each = streams.iterator(); each.hasNext(); ) {
            TurnStream stream = each.next();
            if (!incarnations.contains(stream.incarnation())) {
                each.remove();
                ending.add(stream);
            }
        }
    }

    /** Follows the streams that live and are not followed yet. */
    private SessionCursor open(EventsFrame frame, SessionCursor from) {
        SessionCursor cursor = from;
        for (LiveTurn turn : live) {
            LiveTurn.LiveStream stream = turn.stream();
            if (stream == null || isFollowed(stream) || streams.size() >= TransportLimits.MAX_FOLLOWED_STREAMS) {
                continue;
            }
            Cursor beginning = new Cursor(stream.incarnation(), stream.from());
            Attach attach = transport.access().streams(principal).attach(stream.name(), beginning);
            if (attach instanceof Attach.Ok ok) {
                streams.add(TurnStream.whole(turn.turnId(), ok.reader()));
                frame.add(Json.MAPPER
                        .createObjectNode()
                        .put("kind", "stream-opened")
                        .put("turn", turn.turnId())
                        .put("messageId", turn.messageId()));
                cursor = cursor.withStream(stream.incarnation(), stream.from());
            } else {
                if (attach instanceof Attach.Restarted restarted) {
                    restarted.reader().close();
                }
                atEnd = false; // memory and the store are about to agree: the next step shows on what
            }
        }
        live = List.of();
        return cursor;
    }

    private boolean isFollowed(LiveTurn.LiveStream stream) {
        return streams.stream().anyMatch(followed -> followed.incarnation() == stream.incarnation());
    }

    /** Asks to be told when there is more. */
    void onChange(Runnable wake) {
        feed.onChange(wake);
        streams.forEach(stream -> stream.onChange(wake));
        if (!ending.isEmpty()) {
            ending.element().onChange(wake);
        }
    }

    void cancel(Runnable wake) {
        feed.cancel(wake);
        streams.forEach(stream -> stream.cancel(wake));
        ending.forEach(stream -> stream.cancel(wake));
    }

    @Override
    public void close() {
        feed.close();
        streams.forEach(TurnStream::close);
        ending.forEach(TurnStream::close);
    }
}
