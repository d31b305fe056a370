package dev.holdfast.http.api;

import dev.holdfast.error.HoldfastException.CursorAhead;
import dev.holdfast.error.HoldfastException.CursorTooOld;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.error.HoldfastException.TurnNotFound;
import dev.holdfast.http.Exchange;
import dev.holdfast.http.Json;
import dev.holdfast.http.sse.SseSettings;
import dev.holdfast.http.sse.SseWriter;
import dev.holdfast.http.sse.StreamEvents;
import dev.holdfast.session.FeedReader;
import dev.holdfast.session.Message;
import dev.holdfast.session.Session;
import dev.holdfast.stream.Attach;
import dev.holdfast.stream.Cursor;
import dev.holdfast.stream.StreamReader;
import dev.holdfast.stream.Streams;
import dev.holdfast.turn.TurnState;
import dev.holdfast.turn.TurnStatus;
import dev.holdfast.turn.Turns;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * One connection that watches a turn, from wherever its client was to the turn's end.
 *
 * <p>It is one loop over the turn's state as the store has it: while the turn waits in the queue, wait for the feed; while it streams, copy its stream; when that ends, look again. So a turn
 * that is retried, waits, goes on or ends is the same case whether it happened before the client came or while it watched. The client's last
 * event is always {@code turn-ended} or {@code turn-awaiting}, and it comes after every chunk or, where chunks are missing, after the message
 * that replaces them; the loop never guesses which (EVERY-CURSOR, EXPLICIT-CURSOR).
 *
 * <p>Confined to the request's thread.
 */
final class TurnWatch {

    private static final Duration PAUSE = Duration.ofMillis(5);

    private final Exchange exchange;
    private final Session session;
    private final String turnId;
    private final Turns turns;
    private final Streams streams;
    private final SseSettings settings;

    private @Nullable SseWriter out;
    private @Nullable Cursor cursor;

    /** Whether the client has the turn's message so far, piece by piece; if not, it gets it whole at the end. */
    private boolean whole;

    TurnWatch(Exchange exchange, Session session, String turnId, Turns turns, Streams streams, SseSettings settings) {
        this.exchange = exchange;
        this.session = session;
        this.turnId = turnId;
        this.turns = turns;
        this.streams = streams;
        this.settings = settings;
    }

    /**
     * @param from where the client was, or empty if it has nothing
     * @throws CursorAhead if the turn's stream ends before it
     * @throws CursorTooOld if the stream was trimmed beyond it
     */
    void run(Optional<Cursor> from) throws IOException, InterruptedException {
        cursor = from.orElse(null);
        int inVain = 0;
        while (inVain < ApiLimits.MAX_ATTACHES_IN_A_ROW) {
            TurnStatus turn =
                    turns.status(session.id(), turnId).orElseThrow(() -> new TurnNotFound(session.id(), turnId));
            if (turn.state() == TurnState.ACCEPTED) {
                if (!waitInLine()) {
                    return;
                }
                continue;
            }
            if (turn.state() != TurnState.STREAMING) {
                end(turn);
                return;
            }
            Cursor before = cursor;
            if (!follow(turn)) {
                return;
            }
            if (cursor != null && !cursor.equals(before)) {
                inVain = 0;
            } else {
                inVain++;
                LockSupport.parkNanos(PAUSE.toNanos()); // the turn is between two streams
            }
        }
        exchange.abort();
    }

    /** Waits, as long as it takes, until the turn has left the queue. Returns false if the connection is over. */
    private boolean waitInLine() throws IOException, InterruptedException {
        SseWriter writer = writer();
        try (FeedReader feed = session.feed().open(session.feed().next())) {
            tell("turn-queued", null, JsonViews.object().put("turnId", turnId));
            while (turns.status(session.id(), turnId)
                    .filter(turn -> turn.state() == TurnState.ACCEPTED)
                    .isPresent()) {
                if (writer.rotationDue()) {
                    writer.rotate();
                    return false;
                }
                if (feed.next(ApiLimits.MAX_FEED_BATCH, writer.patience()).isEmpty()) {
                    writer.idle();
                }
            }
        }
        return true;
    }

    /** Copies the turn's present stream. Returns false if the connection is over. */
    private boolean follow(TurnStatus turn) throws IOException, InterruptedException {
        String name = String.valueOf(turn.streamName());
        return switch (attach(name)) {
            case Attach.Ok ok -> copy(ok.reader(), cursor == null);
            case Attach.Restarted restarted -> {
                try (StreamReader reader = restarted.reader()) {
                    tell("restarted", reader.cursor(), JsonViews.object().put("turnId", turnId));
                    yield copy(reader, true);
                }
            }
            case Attach.Ahead ahead ->
                throw new CursorAhead(
                        name, cursor == null ? 0 : cursor.seq(), ahead.tail().seq());
            case Attach.TooOld old ->
                throw new CursorTooOld(
                        name, cursor == null ? 0 : cursor.seq(), old.first().seq());
            case Attach.Gone gone -> true;
        };
    }

    private Attach attach(String name) {
        Cursor at = cursor;
        if (at != null) {
            return streams.attach(name, at);
        }
        try {
            return new Attach.Ok(streams.tail(name, 0));
        } catch (StreamNotFound e) {
            return new Attach.Gone();
        }
    }

    private boolean copy(StreamReader given, boolean fromTheBeginning) throws IOException, InterruptedException {
        try (StreamReader reader = given) {
            SseWriter writer = writer();
            whole = !fromTheBeginning || tellWhatIsWritten(reader.cursor());
            StreamEvents.End end = new StreamEvents(writer, StreamEvents.Encoding.text()).copy(reader);
            cursor = reader.cursor();
            if (end instanceof StreamEvents.End.Rotate) {
                writer.rotate();
                return false;
            }
            whole &= end instanceof StreamEvents.End.Settled;
            return true;
        }
    }

    /**
     * A turn that goes on after it waited has a message already, which its chunks continue: the client needs that first. Returns false if the
     * turn ended meanwhile, so that the message found may be the finished one.
     */
    private boolean tellWhatIsWritten(Cursor at) throws IOException {
        Optional<TurnStatus> before = turns.status(session.id(), turnId);
        Optional<Message> message = before.flatMap(turn -> session.message(turn.messageId()));
        if (message.isEmpty()) {
            return true;
        }
        boolean streams = turns.status(session.id(), turnId)
                .filter(turn -> turn.state() == TurnState.STREAMING)
                .isPresent();
        if (streams) {
            ObjectNode body = JsonViews.object().put("turnId", turnId);
            body.set("message", JsonViews.message(message.get()));
            tell("snapshot", at, body);
        }
        return streams;
    }

    private void end(TurnStatus turn) throws IOException {
        Optional<Message> message = session.message(turn.messageId());
        boolean waits = turn.state() == TurnState.AWAITING;
        ObjectNode body = JsonViews.object();
        body.put("turnId", turn.id());
        body.put(waits ? "state" : "outcome", JsonViews.state(turn.state()));
        body.put("messageId", message.map(Message::id).orElse(null));
        body.put(waits ? "reason" : "error", turn.error());
        if (!whole) {
            ObjectNode replacement = body.deepCopy();
            replacement.set("message", message.map(JsonViews::message).orElse(null));
            tell(waits ? "snapshot" : "finished", null, replacement);
        }
        tell(waits ? "turn-awaiting" : "turn-ended", whole ? cursor : null, body);
    }

    private void tell(String event, @Nullable Cursor at, ObjectNode body) throws IOException {
        SseWriter writer = writer();
        writer.frames()
                .event(event, at == null ? null : at.token(), ByteBuffer.wrap(Json.MAPPER.writeValueAsBytes(body)));
        writer.flush();
    }

    private SseWriter writer() throws IOException {
        SseWriter writer = out;
        if (writer == null) {
            writer = SseWriter.open(exchange, settings);
            out = writer;
        }
        return writer;
    }
}
