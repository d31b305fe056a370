package dev.holdfast.testkit.sim;

import dev.holdfast.store.FeedRow;
import dev.holdfast.store.FeedRow.Kind;
import dev.holdfast.store.TurnRow.State;
import dev.holdfast.testkit.sim.SessionCall.Event;
import dev.holdfast.testkit.sim.SessionCall.Outcome;
import dev.holdfast.testkit.sim.SessionModel.Starting;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The line of turns of a session, as it should be: who waits, whose place is taken, and who is next. */
final class ModelQueue {

    static final long DEBOUNCE_MILLIS = 5_000;

    private ModelQueue() {}

    /** The turns without an outcome that stand in line, first come, first. */
    static List<ModelTurn> line(ModelSession session) {
        return session.turns.values().stream()
                .filter(turn -> turn.parent == null && turn.live())
                .toList();
    }

    static List<ModelTurn> waiting(ModelSession session) {
        return line(session).stream().filter(ModelTurn::waits).toList();
    }

    /** Those whose place a start takes. */
    static List<ModelTurn> replaced(ModelSession session, SessionOp.Submit submit) {
        return switch (submit) {
            case DROP, QUEUE -> List.of();
            case LATEST, MERGE, DEBOUNCE -> waiting(session);
        };
    }

    /** Whether a start that takes these places has to wait. */
    static boolean mustWait(ModelSession session, SessionOp.Submit submit, List<ModelTurn> replaced) {
        return submit == SessionOp.Submit.DEBOUNCE || line(session).size() > replaced.size();
    }

    /** What is told of those whose place is taken. */
    static List<Event> endings(Starting start, List<ModelTurn> replaced) {
        String how = start.submit() == SessionOp.Submit.MERGE ? "merged into" : "superseded by";
        return replaced.stream()
                .map(turn -> ended(turn, "%s turn \"%s\"".formatted(how, start.turn())))
                .toList();
    }

    static Event ended(ModelTurn turn, String reason) {
        return new Event(Kind.TURN_ENDED, null, turn.id, "stopped:" + reason);
    }

    static void end(List<ModelTurn> waiting) {
        for (ModelTurn turn : waiting) {
            turn.state = State.STOPPED;
            turn.stopRequested = true;
            turn.rested.add(State.STOPPED);
        }
    }

    /** A turn that waits; {@code add} puts it into the model. */
    static Outcome enqueue(
            Starting start, ModelSession session, List<ModelTurn> replaced, int life, Consumer<ModelTurn> add) {
        List<Event> events = new ArrayList<>();
        ModelMessages.asked(start, session).ifPresent(events::add);
        events.addAll(endings(start, replaced));
        events.add(new Event(Kind.TURN_STARTED, SessionCall.ANY, start.turn(), null));
        return new Outcome("started ACCEPTED", session, events, rows -> {
            end(replaced);
            List<ModelTurn> before = line(session);
            String answers = ModelMessages.ask(start, session, before.isEmpty() ? null : before.getLast());
            FeedRow accepted = rows.getLast();
            ModelTurn turn = new ModelTurn(
                    session,
                    start.turn(),
                    start.fingerprint(),
                    start.policy(),
                    null,
                    answers,
                    String.valueOf(accepted.messageId()),
                    "");
            turn.state = State.ACCEPTED;
            turn.tries = 0;
            turn.queued = true;
            turn.startsAt = start.submit() == SessionOp.Submit.DEBOUNCE ? accepted.at() + DEBOUNCE_MILLIS : 0;
            turn.waitingRow = start.row();
            turn.acceptedIn = life;
            add.accept(turn);
        });
    }

    /** Ends all that wait, before something else happens if there is more to tell. */
    static Outcome clear(ModelSession session, String answer, String reason, @Nullable Event more, Runnable effect) {
        List<ModelTurn> waiting = waiting(session);
        List<Event> events = new ArrayList<>(
                waiting.stream().map(turn -> ended(turn, reason)).toList());
        if (more != null) {
            events.add(more);
        }
        return new Outcome(answer, session, events, rows -> {
            end(waiting);
            effect.run();
        });
    }

    /** The first of those that wait, if nothing is before it and its time has come. */
    static boolean mayBegin(ModelTurn turn, long now) {
        List<ModelTurn> line = line(turn.session);
        return line.getFirst() == turn && line.stream().allMatch(ModelTurn::waits) && turn.startsAt <= now;
    }
}
