package dev.holdfast.testkit.sim;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.SessionNotFound;
import dev.holdfast.error.HoldfastException.StorePoisoned;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.session.FeedEvent;
import dev.holdfast.session.FeedReader;
import dev.holdfast.session.LiveTurn;
import dev.holdfast.session.Message;
import dev.holdfast.session.Session;
import dev.holdfast.session.SessionAttach;
import dev.holdfast.session.SessionCursor;
import dev.holdfast.session.SessionSnapshot;
import dev.holdfast.stream.Attach;
import dev.holdfast.stream.Chunk;
import dev.holdfast.stream.Cursor;
import dev.holdfast.stream.ReadBatch;
import dev.holdfast.stream.StreamReader;
import dev.holdfast.testkit.SimulatedCrash;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A client that follows one session as a browser does: from a snapshot or from its cursor it reads the feed and the streams of live turns,
 * keeps its cursor, and when it comes back goes on exactly there. Whatever it is shown must be the next of the canonical sequence
 * (EVERY-CURSOR), and at rest it must have all there is (NO-SEAM).
 */
final class Watcher {

    private static final long SNAPSHOT_BYTES = 1 << 20;
    private static final int EVENTS_PER_READ = 3;

    private final SessionSimulation simulation;
    private final int number;
    private final String sessionId;
    private final int maxBytes;
    private final Shown shown;
    private @Nullable SessionCursor cursor;
    private @Nullable Connection connection;

    Watcher(SessionSimulation simulation, int number, String sessionId, int maxBytes) {
        this.simulation = simulation;
        this.number = number;
        this.sessionId = sessionId;
        this.maxBytes = maxBytes;
        this.shown = new Shown(simulation, sessionId);
    }

    boolean connected() {
        return connection != null;
    }

    void connect() {
        if (connection == null) {
            Connection opened = new Connection();
            connection = opened;
            simulation.fibers.start("watcher", opened::run);
        }
    }

    void checkAtRest() {
        shown.all(Objects.requireNonNull(cursor, "a client waits without a snapshot"));
    }

    void leave() {
        Connection open = connection;
        if (open != null) {
            open.left = true;
            open.wake.run();
            connection = null;
        }
    }

    /** Wakes a connection; those of several clients always in the same order. */
    private static final class Wake implements Runnable {
        private final int number;
        private volatile boolean rung;
        private @Nullable Thread thread;

        Wake(int number) {
            this.number = number;
        }

        @Override
        public int hashCode() {
            return number;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return this == other;
        }

        @Override
        public void run() {
            rung = true;
            LockSupport.unpark(thread);
        }
    }

    /** One connection, until it is lost or the session ends. */
    private final class Connection {
        private final SessionProcess process = simulation.process;
        private final Map<Long, StreamReader> streams = new TreeMap<>();
        private final Map<String, Long> incarnations = new TreeMap<>();
        private @Nullable FeedReader feed;
        private final Wake wake = new Wake(number);
        private boolean left;

        void run() {
            wake.thread = Thread.currentThread();
            try {
                if (begin()) {
                    follow();
                }
            } catch (SessionNotFound e) {
                gone();
            } catch (StorePoisoned | HoldfastException.Closed e) {
                Violation.unless(left || simulation.down(), "a client was turned away by a healthy store: %s", e);
            } catch (HoldfastException e) {
                Violation.expectFault(e);
            } catch (SimulatedCrash e) {
                // its server is gone
            } finally {
                end();
            }
        }

        private void end() {
            streams.values().forEach(StreamReader::close);
            if (feed != null) {
                feed.close();
            }
            if (connection == this) {
                connection = null;
            }
        }

        private void gone() {
            SessionCursor at = cursor;
            cursor = null;
            simulation.find(() -> Violation.unless(
                    at == null ? simulation.model.session(sessionId).isEmpty() : shown.session(at).gone,
                    "EXPLICIT-CURSOR: a client was told that session %s is gone, and it is not",
                    sessionId));
        }

        private boolean begin() {
            SessionCursor at = cursor;
            if (at == null) {
                Session session = process.sessions.get(sessionId);
                started(session.feed().snapshot(SNAPSHOT_BYTES));
                return true;
            }
            SessionAttach answer = process.sessions.attach(sessionId, SessionCursor.parse(at.token()), SNAPSHOT_BYTES);
            simulation.find(() -> shown.answer(at, answer));
            return switch (answer) {
                case SessionAttach.Ok ok -> {
                    feed = ok.reader();
                    cursor = ok.cursor();
                    ok.live().forEach(this::open);
                    yield true;
                }
                case SessionAttach.TooOld old -> {
                    started(old.snapshot());
                    yield true;
                }
                default -> {
                    cursor = null;
                    yield false;
                }
            };
        }

        private void started(SessionSnapshot snapshot) {
            cursor = snapshot.cursor();
            Session session = process.sessions.get(sessionId);
            feed = session.feed().open(snapshot.cursor().feedNext());
            List<String> recent = snapshot.recent().messages().stream()
                    .map(m -> m.id() + "=" + m.text())
                    .toList();
            long next = snapshot.cursor().feedNext();
            long key = snapshot.cursor().session();
            simulation.find(() -> {
                ModelSession model = shown.session(new SessionCursor(key, 0, next, List.of()));
                Violation.unless(
                        model.gone || (next == model.feed.size() && recent.equals(SessionVerification.path(model))),
                        "a snapshot of %s at event %d shows %s",
                        sessionId,
                        next,
                        recent);
            });
            snapshot.live().forEach(this::open);
        }

        private void open(LiveTurn turn) {
            LiveTurn.LiveStream stream = turn.stream();
            if (stream != null) {
                open(turn.turnId(), stream.name(), new Cursor(stream.incarnation(), stream.from()));
            }
        }

        /** Reads on in the stream of a turn, or from its beginning if the cursor is null. */
        private void open(String turnId, String name, @Nullable Cursor from) {
            StreamReader reader = null;
            if (from == null) {
                try {
                    reader = process.streams.tail(name, 0);
                } catch (StreamNotFound e) {
                    return; // it ended meanwhile; its event is still to come
                }
            } else {
                Attach answer = process.streams.attach(name, from);
                Violation.unless(
                        !(answer instanceof Attach.Ahead) && !(answer instanceof Attach.TooOld),
                        "EXPLICIT-CURSOR: a stream of turn %s was answered %s at %s",
                        turnId,
                        answer,
                        from);
                if (answer instanceof Attach.Ok ok) {
                    reader = ok.reader();
                } else if (answer instanceof Attach.Restarted restarted) {
                    reader = restarted.reader();
                }
            }
            if (reader != null) {
                incarnations.put(turnId, reader.cursor().incarnation());
                if (streams.putIfAbsent(reader.cursor().incarnation(), reader) != null) {
                    reader.close(); // it is followed already, from where the cursor left it
                }
            }
        }

        private void drop(Long incarnation) {
            StreamReader reader = streams.remove(incarnation);
            if (reader != null) {
                reader.close();
                cursor = Objects.requireNonNull(cursor).withoutStream(incarnation);
            }
        }

        private void follow() {
            while (!left) {
                boolean moved = false;
                for (Long incarnation : List.copyOf(streams.keySet())) {
                    moved |= read(incarnation);
                }
                List<FeedEvent> events = Objects.requireNonNull(feed).read(EVENTS_PER_READ);
                for (FeedEvent event : events) {
                    if (!left) { // to take one may have to wait
                        take(event);
                    }
                }
                if (!moved && events.isEmpty()) {
                    await();
                }
            }
        }

        /** Returns whether there was anything. */
        private boolean read(Long incarnation) {
            StreamReader reader = streams.get(incarnation);
            if (reader == null) {
                return false;
            }
            ReadBatch batch;
            try {
                batch = reader.read(maxBytes);
            } catch (StreamNotFound e) {
                drop(incarnation); // dropped for a retry; the event that tells of it is still to come
                return true;
            }
            List<String> chunks = new ArrayList<>();
            for (Chunk chunk : batch.chunks()) {
                chunks.add(chunk.text());
            }
            cursor = Objects.requireNonNull(cursor).withStream(incarnation, batch.nextSeq());
            long first = batch.nextSeq() - chunks.size();
            simulation.find(() -> shown.chunks(incarnation, first, chunks, batch.ended()));
            if (batch.ended()) {
                drop(incarnation);
                return true;
            }
            return !chunks.isEmpty();
        }

        private void take(FeedEvent event) {
            SessionCursor at = Objects.requireNonNull(cursor);
            Violation.unless(
                    event.seq() == at.feedNext(),
                    "EVERY-CURSOR: a client of %s at event %d was shown event %d",
                    sessionId,
                    at.feedNext(),
                    event.seq());
            cursor = at.withFeed(event.seq() + 1);
            simulation.find(() -> shown.event(shown.session(at), event));
            String turn = event.turn();
            String detail = event.detail();
            if (turn == null) {
                return;
            }
            switch (event.kind()) {
                case TURN_STARTED, STREAM_OPENED -> {
                    if (detail != null) { // a turn that waits has no stream
                        open(turn, detail, null);
                    }
                }
                case TURN_RECOVERING -> reopened(turn);
                case TURN_ENDED, TURN_AWAITING -> ended(event);
                default -> {}
            }
        }

        private void reopened(String turn) {
            process.turns
                    .status(sessionId, turn)
                    .ifPresent(status -> open(turn, String.valueOf(status.streamName()), null));
        }

        /** All chunks come before the end, and the message is there with it. */
        private void ended(FeedEvent event) {
            Long incarnation = incarnations.remove(String.valueOf(event.turn()));
            while (incarnation != null && streams.containsKey(incarnation) && read(incarnation)) {
                // what is left; a stream that goes on is that of a later event
            }
            String messageId = event.message();
            if (messageId == null) {
                return;
            }
            SessionCursor at = Objects.requireNonNull(cursor);
            Message message = process.sessions
                    .find(sessionId)
                    .flatMap(s -> s.message(messageId))
                    .orElse(null);
            String text = message == null ? null : message.text();
            simulation.find(() -> {
                ModelSession session = shown.session(at);
                String expected = session.message(messageId).map(m -> m.content).orElse(null);
                Violation.unless(
                        session.gone || Objects.equals(expected, text),
                        "NEVER-BOTH: after the end of turn %s its message is %s, not %s",
                        event.turn(),
                        text,
                        expected);
            });
        }

        private void await() {
            FeedReader events = Objects.requireNonNull(feed);
            wake.rung = false;
            events.onChange(wake);
            streams.values().forEach(reader -> reader.onChange(wake));
            while (!wake.rung && !left) {
                LockSupport.park(this);
            }
            events.cancel(wake);
            streams.values().forEach(reader -> reader.cancel(wake));
        }
    }
}
