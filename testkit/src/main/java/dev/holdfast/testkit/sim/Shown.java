package dev.holdfast.testkit.sim;

import dev.holdfast.session.FeedEvent;
import dev.holdfast.session.SessionAttach;
import dev.holdfast.session.SessionCursor;
import dev.holdfast.store.FeedRow;
import dev.holdfast.store.TurnRow.State;
import java.util.List;
import java.util.Objects;

/** What a client of a session is shown, held against the model. */
final class Shown {

    private final SessionSimulation simulation;
    private final String sessionId;

    Shown(SessionSimulation simulation, String sessionId) {
        this.simulation = simulation;
        this.sessionId = sessionId;
    }

    ModelSession session(SessionCursor at) {
        return simulation.model.all.stream()
                .filter(s -> s.key == at.session())
                .findFirst()
                .orElseThrow(() -> new Violation("a cursor is of a session that was never created"));
    }

    /** NO-SEAM: who waits has seen all. */
    void all(SessionCursor at) {
        ModelSession session = session(at);
        Violation.unless(!session.gone, "a client was not told that session %s is gone", sessionId);
        Violation.unless(
                at.feedNext() == session.feed.size(),
                "NO-SEAM: a client of %s waits at event %d of %d",
                sessionId,
                at.feedNext(),
                session.feed.size());
        for (ModelTurn turn : session.turns.values()) {
            if (turn.state == State.STREAMING) {
                ModelTurn.Chunks chunks = turn.attempt().chunks();
                long seen = at.position(chunks.incarnation).orElse(0);
                Violation.unless(
                        seen == chunks.list.size(),
                        "NO-SEAM: a client of turn %s waits at chunk %d of %d",
                        turn,
                        seen,
                        chunks.list.size());
            }
        }
    }

    /** EXPLICIT-CURSOR: the named answer is the one that the model gives. */
    void answer(SessionCursor at, SessionAttach answer) {
        ModelSession session = simulation.model.session(sessionId).orElse(null);
        boolean right = switch (answer) {
            case SessionAttach.Ok ok ->
                session != null && session.key == at.session() && at.feedNext() <= session.feed.size();
            case SessionAttach.TooOld old ->
                session != null
                        && session.key == at.session()
                        && at.feedNext()
                                < session.feed.size()
                                        - simulation.setup.sessions().feedRetained();
            case SessionAttach.Ahead ahead -> false; // nobody is ever shown what is not durable
            case SessionAttach.WrongSession wrong -> session != null && session.key != at.session();
            case SessionAttach.Gone gone -> session == null;
        };
        Violation.unless(
                right,
                "EXPLICIT-CURSOR, VISIBLE-IS-DURABLE: the cursor at event %d of session %s was answered %s",
                at.feedNext(),
                sessionId,
                answer.getClass().getSimpleName());
    }

    void chunks(long incarnation, long first, List<String> shown, boolean ended) {
        ModelTurn.Chunks chunks = simulation.model.all.stream()
                .flatMap(s -> s.turns.values().stream())
                .flatMap(t -> t.attempts.stream())
                .map(ModelTurn.Attempt::chunks)
                .filter(c -> c.incarnation == incarnation)
                .findFirst()
                .orElseThrow(() -> new Violation("a client reads a stream that no turn has"));
        long end = first + shown.size();
        Violation.unless(
                end <= chunks.list.size() && shown.equals(chunks.list.subList((int) first, (int) end)),
                "EVERY-CURSOR, VISIBLE-IS-DURABLE: a client of session %s was shown %s from %d, acknowledged are %s",
                sessionId,
                shown,
                first,
                chunks.list);
        Violation.unless(
                !ended || end == chunks.list.size(),
                "a client of session %s was told of a stream's end at chunk %d of %d",
                sessionId,
                end,
                chunks.list.size());
    }

    void event(ModelSession session, FeedEvent event) {
        FeedRow row = event.seq() < session.feed.size() ? session.feed.get((int) event.seq()) : null;
        Violation.unless(
                session.gone
                        || (row != null && row.kind() == event.kind() && Objects.equals(row.detail(), event.detail())),
                "EVERY-CURSOR: a client of session %s was shown %s, the feed has %s",
                sessionId,
                event,
                row);
    }
}
