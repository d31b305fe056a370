package dev.holdfast.testkit.sim;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.StoreBusy;
import dev.holdfast.error.HoldfastException.StoreFailed;
import dev.holdfast.error.HoldfastException.StoreFull;
import dev.holdfast.error.HoldfastException.StorePoisoned;
import dev.holdfast.store.PropertyRow;
import dev.holdfast.store.TurnRow.State;
import dev.holdfast.turn.StopResult;
import dev.holdfast.turn.ToolAnswer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * What clients may say too early: stops of turns that are still to come, and answers to calls that no turn waits for yet. The session keeps
 * them without an event, so the disk is their witness: what it keeps somebody asked for, and what was acknowledged it keeps until it was used.
 */
final class EarlyCalls {

    private static final String STOPS = "holdfast/stop/";
    private static final String ANSWERS = "holdfast/answer/";
    private static final String AHEAD = "ahead of ";
    private static final String ANSWER = "answer";
    private static final int MANY = 1000;

    /** A call of a client; what it answers, if it is no stop. */
    private static final class Early {
        final SessionCall call;
        final ModelSession session;
        final String turn;
        final String toolCall;
        final String output;
        final int awaits;

        Early(SessionCall call, ModelSession session, String turn, String toolCall, String output, int awaits) {
            this.call = call;
            this.session = session;
            this.turn = turn;
            this.toolCall = toolCall;
            this.output = output;
            this.awaits = awaits;
        }

        boolean isStop() {
            return output.isEmpty();
        }

        boolean isOfTheSameCall(Early other) {
            return !isStop()
                    && turn.equals(other.turn)
                    && toolCall.equals(other.toolCall)
                    && session.id.equals(other.session.id);
        }

        boolean isFor(ModelTurn other) {
            return !isStop() && turn.equals(other.id) && session.id.equals(other.session.id);
        }
    }

    private final SessionSimulation simulation;

    /** Not judged yet, and those that died with their process, until it is known what they did. */
    private final List<Early> open = new ArrayList<>();

    private final List<Early> died = new ArrayList<>();

    /** All that was ever asked for, in words. */
    private final Set<String> asked = new HashSet<>();

    EarlyCalls(SessionSimulation simulation) {
        this.simulation = simulation;
    }

    /** Whether nobody knows yet if a stop of this turn came first. */
    boolean stopIsUnderWay(String session, String turn) {
        return open.stream()
                .anyMatch(e ->
                        e.isStop() && e.call.answer == null && e.session.id.equals(session) && e.turn.equals(turn));
    }

    /** Stops a turn that is not there, and that nobody is starting. */
    void stop(String what, ModelSession session, String turn) {
        asked.add(session.id + "/" + turn);
        SessionCall call = new SessionCall(
                what, () -> SessionCall.Outcome.refused(session.gone ? SessionCall.ANY : "stops " + State.STOPPED));
        submit(new Early(call, session, turn, "", "", 0), () -> {
            StopResult result = simulation.process.turns.stop(session.id, turn, AHEAD + turn);
            return (result.accepted() ? "stops " : "too late, ") + result.state();
        });
    }

    void answer(SessionOp.Answer op) {
        ModelSession session = simulation
                .model
                .session(SessionClients.sessionName(op.session()))
                .orElse(null);
        ModelTurn turn = session == null ? null : session.turns.get(SessionClients.turnName(op.turn()));
        if (session == null || turn == null) {
            return;
        }
        String toolCall = "c" + op.call();
        String output = "%s %s %s %d".formatted(ANSWER, turn.id, toolCall, op.output());
        asked.add(session.id + "/" + output);
        SessionCall call = new SessionCall(op.toString(), () -> simulation.model.answer(turn, toolCall, output));
        submit(
                new Early(call, session, turn.id, toolCall, output, turn.awaits),
                () -> simulation
                        .process
                        .turns
                        .answer(
                                session.id,
                                turn.id,
                                new ToolAnswer.Output(toolCall, output.getBytes(StandardCharsets.UTF_8)))
                        .effect()
                        .name());
    }

    private void submit(Early early, Supplier<String> body) {
        if (simulation.process.committer.poison() != null) {
            return;
        }
        early.call.meanwhile.add(early.call.outcome.get().answer());
        open.stream().filter(early::isOfTheSameCall).forEach(other -> {
            String second = early.output.equals(other.output) ? "REPEATED" : "AnswerConflict"; // whichever that is
            early.call.meanwhile.add(second);
            other.call.meanwhile.add(second);
        });
        open.add(early);
        simulation.fibers.start("client", () -> early.call.run(body));
        simulation.pump();
    }

    /** Takes what the disk keeps for a session's turns. */
    void collect(ModelSession session) {
        for (PropertyRow row : kept(session, STOPS)) {
            String turn = SessionSimulation.text(row.value()).substring(AHEAD.length());
            check(session, turn);
            session.stopsAhead.put(turn, row.expiresAt());
        }
        for (PropertyRow row : kept(session, ANSWERS)) {
            String output = outputOf(row);
            String[] words = output.split(" ", -1);
            check(session, output);
            ModelTurn turn = session.turns.get(words[1]);
            if (turn != null) {
                turn.kept.computeIfAbsent(words[2], call -> new ModelTurn.Kept(output, turn.awaits));
            }
        }
    }

    private void check(ModelSession session, String what) {
        Violation.unless(
                asked.contains(session.id + "/" + what), "session %s keeps what nobody said: %s", session.id, what);
    }

    private List<PropertyRow> kept(ModelSession session, String prefix) {
        long now = simulation.time.wallMillis();
        return simulation.process.store.observe(reads ->
                reads.properties(new PropertyRow.Owner.Session(session.key).encoded(), prefix, "", MANY).stream()
                        .filter(row -> row.expiresAt() > now)
                        .toList());
    }

    /** The words of an answer, which end what is kept. */
    private static String outputOf(PropertyRow row) {
        String value = new String(row.value(), StandardCharsets.ISO_8859_1);
        return value.substring(value.lastIndexOf(ANSWER));
    }

    /** The disk keeps what was seen there until a turn has used it. */
    void compare(ModelSession session) {
        long now = simulation.time.wallMillis();
        List<String> stops = kept(session, STOPS).stream()
                .map(row -> SessionSimulation.text(row.value()))
                .toList();
        session.stopsAhead.forEach((turn, expiresAt) -> Violation.unless(
                expiresAt <= now || stops.contains(AHEAD + turn),
                "a stop that came ahead of turn %s is forgotten",
                turn));
        List<String> answers =
                kept(session, ANSWERS).stream().map(EarlyCalls::outputOf).toList();
        for (ModelTurn turn : session.turns.values()) {
            for (Iterator<ModelTurn.Kept> each = turn.kept.values().iterator(); each.hasNext(); ) {
                ModelTurn.Kept kept = each.next();
                if (!answers.contains(kept.output())) {
                    Violation.unless(
                            turn.awaits > kept.awaits(),
                            "the answer \"%s\" is forgotten before turn %s waited for it",
                            kept.output(),
                            turn);
                    each.remove();
                }
            }
        }
    }

    /** The answers that may come into a turn's message, each as the call and the output. */
    List<String[]> candidates(ModelTurn turn) {
        List<String[]> candidates = new ArrayList<>();
        for (List<Early> some : List.of(open, died)) {
            some.stream()
                    .filter(early -> early.isFor(turn))
                    .forEach(early -> candidates.add(new String[] {early.toolCall, early.output}));
        }
        turn.kept.forEach((call, kept) -> candidates.add(new String[] {call, kept.output()}));
        return candidates;
    }

    /** Judges what was answered, after the model has caught up. */
    void judge() {
        for (Iterator<Early> each = open.iterator(); each.hasNext(); ) {
            Early early = each.next();
            early.call.meanwhile.add(early.call.outcome.get().answer());
            if (early.call.answer != null) {
                each.remove();
                judge(early);
            }
        }
    }

    private void judge(Early early) {
        SessionCall call = early.call;
        HoldfastException error = call.error;
        if (call.died || error instanceof StorePoisoned || error instanceof HoldfastException.Closed) {
            Violation.unless(simulation.down(), "%s was turned away by a healthy store: %s", call, error);
            died.add(early);
        } else if (error instanceof StoreFull || error instanceof StoreBusy || error instanceof StoreFailed) {
            Violation.expectFault(error);
        } else {
            Violation.unless(
                    call.meanwhile.contains(SessionCall.ANY) || call.meanwhile.contains(call.answer),
                    "%s should be answered as one of %s, but was \"%s\"",
                    call,
                    call.meanwhile,
                    call.answer);
            Violation.unless(
                    error != null || early.session.gone || isThere(early),
                    "VISIBLE-IS-DURABLE: %s was answered \"%s\", and nothing of it is there",
                    call,
                    call.answer);
        }
    }

    private static boolean isThere(Early early) {
        ModelTurn turn = early.session.turns.get(early.turn);
        if (early.isStop()) {
            return turn != null || early.session.stopsAhead.containsKey(early.turn);
        }
        if (turn == null) {
            return false;
        }
        ModelTurn.Kept kept = turn.kept.get(early.toolCall);
        boolean written = early.session
                .message(turn.messageId)
                .map(message -> message.content.contains(ToolCalls.given(early.toolCall, early.output)))
                .orElse(true); // it was cleared away
        return written || (kept != null && kept.output().equals(early.output)) || turn.awaits > early.awaits;
    }

    void processEnded() {
        open.forEach(early ->
                Violation.unless(early.call.answer != null, "%s waits for ever in a process that is gone", early.call));
        died.addAll(open);
        open.clear();
    }

    /** It is known what those that died have done. */
    void resolved() {
        died.clear();
    }

    /** At rest, no turn that waits has an answer that it could take. */
    void checkAtRest(ModelTurn turn) {
        Violation.unless(
                turn.state != State.AWAITING || turn.stopRequested || turn.kept.isEmpty(),
                "turn %s waits, and answers that came before are left: %s",
                turn,
                turn.kept.values());
    }
}
