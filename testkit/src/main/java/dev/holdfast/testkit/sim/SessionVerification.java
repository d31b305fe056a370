package dev.holdfast.testkit.sim;

import dev.holdfast.error.HoldfastException.StoreDamaged;
import dev.holdfast.session.FeedEvent;
import dev.holdfast.session.Message;
import dev.holdfast.session.Session;
import dev.holdfast.session.SessionInfo;
import dev.holdfast.store.MessageRow;
import dev.holdfast.store.PropertyRow;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.StoreReads;
import dev.holdfast.store.StreamRow;
import dev.holdfast.store.TurnRow;
import dev.holdfast.store.TurnRow.State;
import dev.holdfast.stream.StreamListing;
import dev.holdfast.stream.StreamStatus;
import dev.holdfast.testkit.SimTime;
import dev.holdfast.turn.TurnStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Compares what is on the disk after each commit, and at rest what the API shows, with the model. */
final class SessionVerification {

    /** What turns keep with their session: incidents, early answers and early stops. They are no client's. */
    private static final String OF_TURNS = "holdfast/";

    private static final int MANY = 1000;
    private static final int MAX_PAUSES = 12;
    private static final Duration PAUSE = Duration.ofMillis(1_001);

    private final SessionSimulation simulation;
    private final RestCalls calls;

    SessionVerification(SessionSimulation simulation) {
        this.simulation = simulation;
        this.calls = new RestCalls(simulation.fibers, simulation::pump, simulation::step);
    }

    /** After each commit, and after each start: the disk is the model, no more and no less. */
    void diskEqualsTheModel() {
        simulation.process.store.observe(reads -> {
            for (ModelSession session : simulation.model.all) {
                if (!session.gone && session.key != 0) {
                    compare(reads, session);
                }
            }
            return true;
        });
        simulation.model.application.forEach((row, value) -> Violation.unless(
                simulation.process.store.application(row).filter(value::equals).isPresent(),
                "NEVER-BOTH: the application's %s was committed with a turn's end and is gone",
                row));
    }

    private void compare(StoreReads reads, ModelSession session) {
        SessionRow row = reads.session(session.key).orElse(null);
        Violation.unless(
                row != null && !row.deleted(), "VISIBLE-IS-DURABLE: session %s is gone from the disk", session.id);
        long next = reads.feedNext(session.key);
        Violation.unless(
                next == session.feed.size(),
                "VISIBLE-IS-DURABLE: the feed of %s has %d events, %d were seen",
                session.id,
                next,
                session.feed.size());
        compareMessages(reads, session);
        Map<String, ModelSession.Property> properties = new TreeMap<>();
        for (PropertyRow property :
                reads.properties(new PropertyRow.Owner.Session(session.key).encoded(), "", "", MANY)) {
            if (!property.name().startsWith(OF_TURNS)) {
                properties.put(
                        property.name(),
                        new ModelSession.Property(property.version(), SessionSimulation.text(property.value())));
            }
        }
        Violation.unless(
                properties.equals(session.properties),
                "session %s has the properties %s, not %s",
                session.id,
                properties,
                session.properties);
        session.turns.values().forEach(turn -> compare(reads, turn));
        simulation.early.compare(session);
    }

    private static void compareMessages(StoreReads reads, ModelSession session) {
        Violation.unless(
                reads.messageCount(session.key) == session.messages.size(),
                "NEVER-BOTH: session %s has %d messages, not %d",
                session.id,
                reads.messageCount(session.key),
                session.messages.size());
        for (ModelSession.Message message : session.messages) {
            MessageRow row = reads.message(session.key, message.seq).orElse(null);
            Violation.unless(
                    row != null
                            && row.id().equals(message.id)
                            && row.parentSeq() == message.parent
                            && row.role().equals(message.role),
                    "message %d of session %s should be %s under %d, is %s",
                    message.seq,
                    session.id,
                    message.id,
                    message.parent,
                    row);
            String content = SessionSimulation.text(reads.messageContent(session.key, message.seq));
            Violation.unless(
                    content.equals(message.content),
                    "NEVER-BOTH, EXACT-PREFIX: message %s of session %s is \"%s\", not \"%s\"",
                    message.id,
                    session.id,
                    content,
                    message.content);
        }
    }

    /** NEVER-BOTH: a live turn has its live stream, and one that rests has none but what its parent still reads. */
    private static void compare(StoreReads reads, ModelTurn turn) {
        TurnRow row = reads.turn(turn.session.key, turn.id).orElse(null);
        Violation.unless(row != null, "turn %s is gone from the disk", turn);
        TurnRow found = Objects.requireNonNull(row);
        Violation.unless(
                found.state() == turn.state
                        && found.stopRequested() == turn.stopRequested
                        && found.epoch() == turn.attempts.size()
                        && found.attempts() == turn.tries
                        && found.messageId().equals(turn.messageId)
                        && Objects.equals(found.userMessageId(), turn.answers),
                "turn %s is %s, should be %s, stopping %s, attempt %d, try %d",
                turn,
                found,
                turn.state,
                turn.stopRequested,
                turn.attempts.size(),
                turn.tries);
        StreamRow stream = reads.stream(found.streamKey())
                .filter(s -> s.state() != StreamRow.State.DISCARDED)
                .orElse(null);
        if (turn.state == State.STREAMING) {
            Violation.unless(
                    stream != null && stream.state() == StreamRow.State.LIVE,
                    "NEVER-BOTH: turn %s is live and its stream is %s",
                    turn,
                    stream);
            ModelTurn.Chunks chunks = turn.attempt().chunks();
            chunks.streamKey = found.streamKey();
            chunks.incarnation = Objects.requireNonNull(stream).incarnation();
        } else {
            Violation.unless(
                    turn.streamKept ? stream != null && stream.state() != StreamRow.State.LIVE : stream == null,
                    "NEVER-BOTH: turn %s is %s and its stream, kept %s, is %s",
                    turn,
                    turn.state,
                    turn.streamKept,
                    stream);
        }
    }

    /** Lets pauses pass until every turn whose agent returned, or that was stopped, has ended. */
    void comeToRest() {
        for (int i = 0; i == 0 || (i < MAX_PAUSES && unfinished() != null); i++) {
            simulation.advance(PAUSE);
            simulation.rest();
        }
        ModelTurn left = unfinished();
        Violation.unless(
                left == null,
                "turn %s is left behind: %s, stop asked for %s",
                left,
                left == null ? "" : left.state,
                left != null && left.stopRequested);
    }

    private @Nullable ModelTurn unfinished() {
        for (ModelSession session : simulation.model.current()) {
            for (ModelTurn turn : session.turns.values()) {
                if (turn.waits() || turn.attempts.isEmpty()) {
                    if (turn.waits() && ModelQueue.mayBegin(turn, simulation.time.wallMillis())) {
                        return turn;
                    }
                    continue;
                }
                Job job = simulation.jobs.of(turn.messageId, turn.attempt());
                boolean runs = turn.attempt().life() == simulation.life && job != null && !job.over;
                boolean waits = turn.state == State.AWAITING;
                if (turn.live() && (turn.stopRequested || !(runs || waits))) {
                    return turn;
                }
            }
        }
        return null;
    }

    /** At rest, and without a fault to come. */
    void everything() {
        diskEqualsTheModel();
        for (ModelSession session : simulation.model.current()) {
            look(session);
        }
        listings();
        simulation.watchers.checkAtRest();
        simulation.waiting().forEach((message, count) -> {
            ModelTurn turn = simulation.model.turnsByMessage.get(message);
            Violation.unless(
                    count == 0 || turn == null || turn.session.gone || turn.state == State.STREAMING || turn.waits(),
                    "%d clients wait for ever for turn %s, which is %s",
                    count,
                    turn,
                    turn == null ? "" : turn.state);
        });
        memoryEqualsARebuild();
        nothingIsLeftBehind();
    }

    private void look(ModelSession expected) {
        Session session = call(() -> simulation.process.sessions.get(expected.id));
        List<String> path = call(() -> session.history().toList()).stream()
                .map(SessionVerification::shown)
                .toList();
        Violation.unless(
                path.equals(path(expected)), "the history of %s is %s, not %s", expected.id, path, path(expected));
        everyCursor(session, expected);
        for (ModelTurn turn : expected.turns.values()) {
            simulation.early.checkAtRest(turn);
            TurnStatus status = call(() -> simulation.process.turns.status(expected.id, turn.id))
                    .orElseThrow();
            Violation.unless(
                    status.state().name().equals(turn.state.name()),
                    "turn %s is shown as %s, is %s",
                    turn,
                    status.state(),
                    turn.state);
        }
    }

    private static String shown(Message message) {
        return message.id() + "=" + message.text();
    }

    /** The path to the active leaf, root first. */
    static List<String> path(ModelSession session) {
        List<String> path = new ArrayList<>();
        ModelSession.Message at = session.leaf();
        while (at != null) {
            path.add(at.id + "=" + at.content);
            long parent = at.parent;
            at = session.messages.stream()
                    .filter(m -> m.seq == parent)
                    .findFirst()
                    .orElse(null);
        }
        Collections.reverse(path);
        return path;
    }

    /** EVERY-CURSOR: from each position of the feed on, the rest of it; what is retained is there. */
    private void everyCursor(Session session, ModelSession expected) {
        int end = expected.feed.size();
        long first = simulation.process.store.observe(reads -> reads.feedFirst(expected.key));
        int retained = simulation.setup.sessions().feedRetained();
        Violation.unless(
                first <= Math.max(0, end - retained), "the feed of %s begins at %d of %d", expected.id, first, end);
        int stride = end > 60 ? 7 : 1;
        for (long from = first; from <= end; from += stride) {
            long at = from;
            List<FeedEvent> events = call(() -> session.feed().read(at, MANY));
            boolean same = events.size() == end - from;
            for (int i = 0; same && i < events.size(); i++) {
                FeedEvent event = events.get(i);
                var row = expected.feed.get((int) from + i);
                same = event.seq() == row.seq()
                        && event.kind() == row.kind()
                        && Objects.equals(event.message(), row.messageId())
                        && Objects.equals(event.turn(), row.turnId())
                        && Objects.equals(event.detail(), row.detail());
            }
            Violation.unless(same, "EVERY-CURSOR: the feed of %s from %d on is %s", expected.id, from, events);
        }
    }

    private void listings() {
        List<String> sessions = call(() -> simulation.process.sessions.list(MANY)).stream()
                .map(SessionInfo::id)
                .sorted()
                .toList();
        List<String> expected =
                simulation.model.current().stream().map(s -> s.id).toList();
        Violation.unless(sessions.equals(expected), "the sessions are %s, should be %s", sessions, expected);
        List<String> streams = call(() -> simulation.process.streams.list(StreamListing.all())).stream()
                .map(StreamStatus::name)
                .sorted()
                .toList();
        List<String> wanted = simulation.model.current().stream()
                .flatMap(s -> s.turns.values().stream())
                .filter(t -> t.state == State.STREAMING || t.streamKept)
                .map(t -> t.streamName)
                .sorted()
                .toList();
        Violation.unless(streams.equals(wanted), "the streams are %s, should be %s", streams, wanted);
    }

    /** What is in memory is what a fresh process would find on the disk. */
    void memoryEqualsARebuild() {
        List<String> live = simulation.process.engine.describe();
        List<String> fresh;
        try {
            SessionProcess copy = new SessionProcess(
                    simulation.disk.copy(), new SimTime(), simulation.setup, new Fibers(), simulation.jobs.settings());
            fresh = copy.engine.describe();
        } catch (StoreDamaged e) {
            throw new Violation("the log no longer holds what is needed: " + e.getMessage(), e);
        }
        Violation.unless(live.equals(fresh), "memory and disk differ:%n  memory %s%n  disk   %s", live, fresh);
    }

    private void nothingIsLeftBehind() {
        simulation.process.store.observe(reads -> {
            List<Long> deleted = reads.deletedSessions(MANY);
            Violation.unless(deleted.isEmpty(), "deleted sessions are never purged: %s", deleted);
            List<Long> discarded = reads.discardedStreams(MANY);
            Violation.unless(
                    discarded.isEmpty() || !simulation.watchers.noneConnected(),
                    "discarded streams are never deleted: %s",
                    discarded);
            return true;
        });
    }

    private <T> T call(Supplier<T> body) {
        return calls.call(body);
    }
}
