package dev.holdfast.http.chat;

import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.error.HoldfastException.TurnNotFound;
import dev.holdfast.http.Answers;
import dev.holdfast.http.Exchange;
import dev.holdfast.http.Headers;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.sse.SseWriter;
import dev.holdfast.session.FeedReader;
import dev.holdfast.session.Session;
import dev.holdfast.stream.Chunk;
import dev.holdfast.stream.Cursor;
import dev.holdfast.stream.ReadBatch;
import dev.holdfast.stream.StreamReader;
import dev.holdfast.turn.TurnState;
import dev.holdfast.turn.TurnStatus;
import dev.holdfast.turn.Turns;
import dev.holdfast.uimessage.ChunkGate.Verdict;
import dev.holdfast.uimessage.MessageChunks;
import dev.holdfast.uimessage.UiChunk;
import dev.holdfast.uimessage.UiMessage;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One connection of a chat client, with exactly one turn: from the place its client has reached to the turn's outcome or to where it waits for
 * someone. It ends cleanly only after a chunk that ends the message, and {@code [DONE]}; whatever else ends it cuts the connection, since these clients
 * take a clean end for a complete answer.
 *
 * <p>Replay and live are one loop over the turn's stream (NO-SEAM). Everything goes through one {@link ClientView}, also what a client has
 * already, so that the view is the same from wherever it is read.
 *
 * <p>Confined to the request's thread.
 */
final class ChatStream {

    /** The header of a posted turn that names it for clients which count chunks. */
    private static final String RUN_HEADER = "x-workflow-run-id";

    private static final Duration PAUSE = Duration.ofMillis(5);
    private static final int FEED_BATCH = 200;

    /** How often in a row a turn may say that it streams while its stream cannot be found, before its client is cut. */
    private static final int MAX_ATTACHES_IN_A_ROW = 100;

    private final Exchange exchange;
    private final ChatContext context;
    private final Turns turns;
    private final Session session;
    private final String turnId;
    private final int major;
    private final Place place;
    private final ChunkSender out;

    private @Nullable ClientView view;

    ChatStream(Exchange exchange, ChatContext context, Session session, String turnId, int major, Place place) {
        this.exchange = exchange;
        this.context = context;
        this.turns = context.turns();
        this.session = session;
        this.turnId = turnId;
        this.major = major;
        this.place = place;
        this.out = new ChunkSender(exchange, context.events());
    }

    /**
     * @param kept a reader of this run, which may have ended, to be closed here; or null
     */
    void run(@Nullable StreamReader kept) throws IOException, InterruptedException {
        if (kept != null && followKept(kept)) {
            return;
        }
        for (int inVain = 0; inVain < MAX_ATTACHES_IN_A_ROW && !out.isBroken(); inVain++) {
            TurnStatus turn = status();
            if (turn.state() == TurnState.ACCEPTED) {
                waitInLine();
                inVain = 0;
            } else if (turn.state() == TurnState.STREAMING) {
                if (follow(turn)) {
                    return;
                }
                LockSupport.parkNanos(PAUSE.toNanos()); // the turn is between two streams
            } else {
                rested(turn);
                return;
            }
        }
        exchange.abort();
    }

    private TurnStatus status() {
        return turns.status(session.id(), turnId).orElseThrow(() -> new TurnNotFound(session.id(), turnId));
    }

    /** Waits, as long as it takes, until the turn has left the queue or the connection is over. */
    private void waitInLine() throws IOException, InterruptedException {
        nameRun(0);
        SseWriter writer = out.writer();
        try (FeedReader feed = session.feed().open(session.feed().next())) {
            while (!out.isBroken() && status().state() == TurnState.ACCEPTED) {
                if (feed.next(FEED_BATCH, writer.patience()).isEmpty()) {
                    writer.idle();
                }
                rotateIfDue(writer);
            }
        }
    }

    private void rotateIfDue(SseWriter writer) {
        if (writer.rotationDue()) {
            out.breakOff();
        }
    }

    /** A view that begins behind a message cannot be made of the stream alone. Returns whether the connection is over. */
    private boolean followKept(StreamReader kept) throws IOException, InterruptedException {
        if (place.hasMessage()) {
            kept.close();
            return false;
        }
        TurnStatus turn;
        try {
            turn = status();
        } catch (RuntimeException e) {
            kept.close();
            throw e;
        }
        return follow(turn, kept, Optional.empty());
    }

    private boolean follow(TurnStatus turn) throws IOException, InterruptedException {
        StreamReader reader;
        try {
            reader = context.streams().tail(String.valueOf(turn.streamName()), 0);
        } catch (StreamNotFound e) {
            return false;
        }
        Optional<UiMessage> before;
        boolean still = false;
        try {
            before = StoredMessage.of(session, turn);
            still = isStill(turn); // else what was found may be the finished message
        } finally {
            if (!still) {
                reader.close();
            }
        }
        return still && follow(turn, reader, before);
    }

    /**
     * Sends a stream of the turn to its end. Returns false if it is not there (any more), and the turn must be looked at again.
     *
     * @param reader closed here
     * @param before what was written before the stream began
     */
    private boolean follow(TurnStatus turn, StreamReader reader, Optional<UiMessage> before)
            throws IOException, InterruptedException {
        boolean there = true;
        boolean spared = false;
        RunId run = runId(reader.cursor().incarnation());
        try {
            if (place.counted() && !place.hasMessage() && before.isEmpty()) {
                context.kept().begun(context.tenant(), run, reader);
                spared = true;
            }
            if (view == null) {
                begin(reader, turn, before);
            }
            copy(reader);
            if (out.isBroken()) {
                exchange.abort();
            } else {
                end(status());
            }
        } catch (StreamNotFound e) {
            there = false;
            givenUp();
        } finally {
            reader.close();
            if (spared) {
                context.kept().ended(context.tenant(), run);
            }
        }
        return there;
    }

    /** Prepares what the client is told, up to the place that it has reached. */
    private void begin(StreamReader reader, TurnStatus turn, Optional<UiMessage> before) throws IOException {
        Beginning beginning = new Beginning(reader, major, turn.messageId(), place, before);
        ClientView told = beginning.view(out);
        view = told;
        boolean whole = before.isPresent() && !place.hasMessage(); // its numbers are not those of the stream alone
        nameRun(whole ? 0 : reader.cursor().incarnation());
        out.writer();
        beginning.send(out, told);
    }

    private boolean isStill(TurnStatus turn) {
        TurnStatus now = status();
        return now.state() == TurnState.STREAMING
                && String.valueOf(now.streamName()).equals(String.valueOf(turn.streamName()));
    }

    private void nameRun(long incarnation) {
        if (place.posted() && !out.opened()) {
            out.headers().set(RUN_HEADER, runId(incarnation).token());
        }
    }

    private RunId runId(long incarnation) {
        return new RunId(session.id(), turnId, incarnation, major, place.hasMessage());
    }

    /** Sends what comes, until the stream ends or the connection is to be cut. */
    private void copy(StreamReader reader) throws IOException, InterruptedException {
        SseWriter writer = out.writer();
        while (!out.isBroken()) {
            Optional<ReadBatch> found = reader.next(HttpLimits.MAX_EVENT_BATCH_BYTES, writer.patience());
            if (found.isEmpty()) {
                writer.idle();
            } else {
                for (Chunk chunk : found.get().chunks()) {
                    String next = new Cursor(reader.cursor().incarnation(), chunk.seq() + 1).token();
                    out.send(requireView().add(chunk.toByteArray()), next);
                }
                writer.flush();
                if (found.get().ended()) {
                    return;
                }
            }
            rotateIfDue(writer);
        }
    }

    /** The stream that the client follows is gone before it ended: tells it that the turn begins anew, or breaks off. */
    private void givenUp() throws IOException {
        if (view == null) {
            return;
        }
        Optional<Verdict> restart =
                status().state() == TurnState.STREAMING ? requireView().restart() : Optional.empty();
        if (restart.isPresent()) {
            out.send(restart.get(), null);
            out.flush();
        } else {
            out.breakOff();
        }
    }

    /** The turn has its outcome or waits, and its chunks are gone: the message stands for them. */
    private void rested(TurnStatus turn) throws IOException {
        if (view != null) {
            exchange.abort(); // chunks are missing
            return;
        }
        if (place instanceof Place.Index index && index.index() != 0) {
            throw Beginning.gone();
        }
        if (!out.opened() && (place instanceof Place.Reload || place instanceof Place.At)) {
            Answers.empty(exchange, 204, new Headers());
            return;
        }
        nameRun(0);
        out.writer();
        Optional<UiMessage> stored = StoredMessage.of(session, turn);
        UiMessage has = place instanceof Place.Message message ? message.message() : null;
        ClientView told = new ClientView(major, turn.messageId(), has);
        view = told;
        stored.ifPresent(message -> MessageChunks.from(message, has == null ? 0 : SentAnswers.shared(has, message))
                .forEach(chunk -> out.send(told.add(chunk), null)));
        end(turn);
    }

    /** Says how the message ends, and ends the response. */
    private void end(TurnStatus turn) throws IOException {
        ClientView told = requireView();
        for (UiChunk chunk : Endings.of(turn, StoredMessage.of(session, turn), told.end())) {
            out.send(told.say(chunk), null);
        }
        if (!out.hasSent()) {
            out.skip(0); // the client has it all, but not the chunk that it takes for an end
            out.send(told.say(new UiChunk.Finish("stop")), null);
        }
        out.done();
    }

    private ClientView requireView() {
        ClientView now = view;
        if (now == null) {
            throw new IllegalStateException("A chunk came before its view was made");
        }
        return now;
    }
}
