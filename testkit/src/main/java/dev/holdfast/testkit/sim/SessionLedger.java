package dev.holdfast.testkit.sim;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.StoreBusy;
import dev.holdfast.error.HoldfastException.StoreFailed;
import dev.holdfast.error.HoldfastException.StoreFull;
import dev.holdfast.error.HoldfastException.StorePoisoned;
import dev.holdfast.store.FeedRow;
import dev.holdfast.store.SessionRow;
import dev.holdfast.testkit.sim.SessionCall.Outcome;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Puts what happened into one order. The feed of each session is a witness: every event in it must be left by exactly one call, in the
 * order in which the calls were submitted, or by a turn, at a moment at which it may. So the model follows the disk commit by commit, and
 * whatever the disk has that nobody caused, or lacks that somebody was told, is a violation.
 */
final class SessionLedger {

    private static final int EVENTS_PER_READ = 1000;

    private final SessionSimulation simulation;
    private final TurnEndings endings;

    /** Submitted, and not known to be decided; in the order of their submission. */
    private final ArrayDeque<SessionCall> calls = new ArrayDeque<>();

    /** Decided, as their events show, but not answered yet. */
    private final List<SessionCall> owing = new ArrayList<>();

    /** Their fate is unknown until the next start. */
    private final List<SessionCall> unknown = new ArrayList<>();

    /** Whether something was explained by turns since the start. */
    private boolean turnsMoved;

    SessionLedger(SessionSimulation simulation) {
        this.simulation = simulation;
        this.endings = new TurnEndings(simulation);
    }

    private SessionModel model() {
        return simulation.model;
    }

    void submitted(SessionCall call) {
        calls.add(call);
    }

    /** Whether a deletion of this session is on its way. */
    boolean mayEnd(String id) {
        return calls.stream().anyMatch(c -> id.equals(c.ends));
    }

    /** Explains all that was committed and answered since the last time. */
    void balance() {
        do {
            collect();
            noteLags();
        } while (explainCall() || explainAnyTurn() || passOver());
        everythingExplained();
        for (Iterator<SessionCall> each = owing.iterator(); each.hasNext(); ) {
            SessionCall call = each.next();
            if (call.answer != null) {
                each.remove();
                Violation.unless(
                        call.died || call.error != null || call.mayAnswer(String.valueOf(call.expected)),
                        "%s should be answered \"%s\", but was \"%s\"",
                        call,
                        call.expected,
                        call.answer);
                HoldfastException error = call.error;
                if (error != null) {
                    excused(call, error);
                }
            }
        }
        simulation.early.judge();
    }

    /** Whether nobody knows yet if this turn is started. */
    boolean startIsUnderWay(String session, String turn) {
        String starts = session + "/" + turn;
        return Stream.of(calls, owing, unknown)
                .flatMap(Collection::stream)
                .anyMatch(call -> starts.equals(call.starts) && call.answer == null);
    }

    /** A stop that was decided can still fail to stop the nested turns, for a reason that the disk's script gave. */
    private void excused(SessionCall call, HoldfastException error) {
        if (error instanceof StorePoisoned) {
            Violation.unless(simulation.down(), "%s was refused as poisoned without a reason", call);
        } else {
            Violation.expectFault(error);
        }
    }

    private void noteLags() {
        for (SessionCall call : calls) {
            if (call.lags && call.answer == null) {
                Outcome outcome = call.outcome.get();
                if (outcome.events().isEmpty()) {
                    call.meanwhile.add(outcome.answer());
                }
            }
        }
    }

    private void everythingExplained() {
        for (ModelSession session : model().all) {
            Violation.unless(
                    session.gone || session.unexplained.isEmpty(),
                    "VISIBLE-IS-DURABLE, ONE-OUTCOME: nobody caused %s in session %s",
                    session.unexplained.peekFirst(),
                    session.id);
        }
    }

    /** Takes new events from the disk, also of sessions that were deleted in the meantime. */
    private void collect() {
        for (ModelSession session : model().all) {
            if (session.gone) {
                continue;
            }
            if (session.key == 0) {
                adopt(session);
            }
            if (session.key != 0) {
                long from = (long) session.feed.size() + session.unexplained.size();
                session.unexplained.addAll(
                        simulation.process.store.observe(reads -> reads.feed(session.key, from, EVENTS_PER_READ)));
                simulation.early.collect(session);
            }
        }
    }

    private void adopt(ModelSession session) {
        row(session.id).filter(row -> !known(row)).ifPresent(row -> session.key = row.key());
    }

    private Optional<SessionRow> row(String id) {
        return simulation.process.store.observe(reads -> reads.session(SessionProcess.TENANT, id));
    }

    private boolean known(SessionRow row) {
        return model().all.stream().anyMatch(s -> s.key == row.key());
    }

    /** Whether the disk has a session of this id that the model does not know. */
    boolean unknownSessionThere(String id) {
        return row(id).filter(row -> !known(row)).isPresent();
    }

    /** Whether the disk says that this session is deleted. */
    boolean deleted(ModelSession session) {
        return simulation.process.store.observe(reads ->
                reads.session(session.key).filter(row -> !row.deleted()).isEmpty());
    }

    /** Whether the disk has a turn of this name that another request than this one started. */
    boolean startedByAnother(String session, String turn, String agent, byte[] input) {
        long key = model().session(session).map(s -> s.key).orElse(0L);
        return simulation.process.store.observe(reads -> reads.turn(key, turn)
                .filter(row -> !row.agent().equals(agent) || !Arrays.equals(row.input(), input))
                .isPresent());
    }

    private boolean explainCall() {
        SessionCall call = calls.peekFirst();
        if (call == null) {
            return false;
        }
        Outcome outcome = call.outcome.get();
        HoldfastException error = call.error;
        if (call.answer == null) {
            boolean decided = !outcome.events().isEmpty() && matches(outcome);
            if (decided) {
                call.expected = outcome.answer();
                calls.removeFirst();
                owing.add(call);
                apply(outcome);
            }
            return decided;
        }
        if (call.died || error instanceof StorePoisoned || error instanceof HoldfastException.Closed) {
            Violation.unless(simulation.down(), "%s was turned away by a healthy store: %s", call, error);
            calls.removeFirst();
            if (!outcome.events().isEmpty() && matches(outcome)) {
                apply(outcome); // it died on its way back
            } else {
                unknown.add(call);
            }
            return true;
        }
        if (error instanceof StoreFull || error instanceof StoreBusy || error instanceof StoreFailed) {
            Violation.expectFault(error);
            calls.removeFirst();
            return true;
        }
        boolean right = call.mayAnswer(outcome.answer());
        if (right && matches(outcome) && !(outcome.ends() && eventsWait(outcome.session()))) {
            calls.removeFirst();
            apply(outcome);
            return true;
        }
        ModelSession own = outcome.session();
        if ((own != null && !own.gone && endings.explain(own)) || explainAnyTurn()) {
            return true; // it was decided after that
        }
        throw new Violation("%s should be answered \"%s\" with %s, but was \"%s\""
                .formatted(call, outcome.answer(), outcome.events(), call.answer));
    }

    /** A stop may be decided and yet not answered, as long as it stops nested turns; what comes after it was decided after it. */
    private boolean passOver() {
        SessionCall first = calls.peekFirst();
        if (first == null || !first.lags || first.answer != null) {
            return false;
        }
        boolean answeredLater = calls.stream().skip(1).anyMatch(c -> c.answer != null);
        if (!answeredLater && model().all.stream().noneMatch(s -> !s.gone && eventsWait(s))) {
            return false;
        }
        calls.removeFirst();
        first.expected = first.outcome.get().answer();
        owing.add(first);
        return true;
    }

    private static boolean eventsWait(@Nullable ModelSession session) {
        return session != null && !session.unexplained.isEmpty();
    }

    /** Whether the events that a call would leave come next. */
    private static boolean matches(Outcome outcome) {
        ModelSession session = outcome.session();
        if (session == null) {
            return true;
        }
        Iterator<FeedRow> rows = session.unexplained.iterator();
        return outcome.events().stream().allMatch(event -> rows.hasNext() && event.matches(rows.next()));
    }

    private static void apply(Outcome outcome) {
        List<FeedRow> rows = new ArrayList<>();
        ModelSession session = outcome.session();
        if (session != null) {
            for (int i = 0; i < outcome.events().size(); i++) {
                FeedRow row = session.unexplained.removeFirst();
                rows.add(row);
                session.feed.add(row);
            }
        }
        outcome.effect().apply(rows);
    }

    private boolean explainAnyTurn() {
        for (ModelSession session : model().all) {
            if (!session.gone && endings.explain(session)) {
                return true;
            }
        }
        return false;
    }

    /** Everyone whose process died learned nothing. */
    void processEnded() {
        simulation.early.processEnded();
        unknown.addAll(calls);
        calls.clear();
        for (SessionCall call : owing) {
            Violation.unless(call.answer != null, "%s waits for ever in a process that is gone", call);
        }
        for (SessionCall call : unknown) {
            Violation.unless(call.answer != null, "%s waits for ever in a process that is gone", call);
        }
        owing.clear();
    }

    /** After a start: of the calls of unknown fate some first part was done, the earlier without the later, and of turns what may be. */
    void resolve() {
        collect();
        turnsMoved = false;
        Iterator<SessionCall> each = unknown.iterator();
        boolean going = true;
        while (going && each.hasNext()) {
            going = resolve(each.next());
        }
        unknown.clear();
        balance();
        simulation.early.resolved();
    }

    /** Returns whether later calls may have been done as well. */
    private boolean resolve(SessionCall call) {
        boolean mayHaveDoneNothing = turnsMoved; // it may have been decided before that
        while (true) {
            Outcome outcome = call.outcome.get();
            boolean leaves = !outcome.events().isEmpty();
            if (leaves && matches(outcome)) {
                apply(outcome);
                return true;
            }
            mayHaveDoneNothing |= !leaves;
            boolean moved = explainAnyTurn();
            turnsMoved |= moved;
            if (!moved) {
                if (!leaves && call.done.getAsBoolean()) {
                    apply(outcome);
                    collect();
                }
                return mayHaveDoneNothing;
            }
        }
    }
}
