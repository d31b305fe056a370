package dev.holdfast.testkit.sim;

import dev.holdfast.store.FeedRow;
import dev.holdfast.store.FeedRow.Kind;
import dev.holdfast.store.TurnRow.State;
import dev.holdfast.testkit.sim.ModelSession.Message;
import dev.holdfast.testkit.sim.ModelTurn.Attempt;
import dev.holdfast.turn.MessageAssembler;
import dev.holdfast.turn.ToolAnswers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What turns do by themselves: they end, wait, and are taken up again, at moments that the model cannot know. It reads each such step from
 * the feed and holds it against what may happen: one outcome, the right one, with a message made of exactly the chunks that were there.
 */
final class TurnEndings {

    /** How the reason begins if an agent was given up because it was quiet. */
    private static final String STALLED = "It emitted nothing for";

    private final SessionSimulation simulation;

    TurnEndings(SessionSimulation simulation) {
        this.simulation = simulation;
    }

    /** Makes messages of chunks in the simulation: one after the other, and how it ended. */
    static Optional<byte[]> assemble(MessageAssembler.Assembly assembly) {
        byte[] before = assembly.before();
        List<String> chunks = assembly.chunks().stream()
                .map(c -> new String(c, StandardCharsets.UTF_8))
                .toList();
        return Optional.ofNullable(content(
                        before == null ? null : new String(before, StandardCharsets.UTF_8), chunks, assembly.end()))
                .map(text -> text.getBytes(StandardCharsets.UTF_8));
    }

    private static @Nullable String content(@Nullable String before, List<String> chunks, MessageAssembler.End end) {
        return before == null && chunks.isEmpty()
                ? null
                : (before == null ? "" : before) + String.join("", chunks) + "/" + end;
    }

    /** Explains the next event of a session, if it is one of a turn's own. */
    boolean explain(ModelSession session) {
        FeedRow event = session.unexplained.peekFirst();
        ModelTurn turn = event == null || event.turnId() == null ? null : session.turns.get(event.turnId());
        if (event == null || turn == null) {
            return false;
        }
        return switch (event.kind()) {
            case MESSAGE_ADDED, MESSAGE_UPDATED ->
                turn.messageId.equals(event.messageId()) && (endWithMessage(turn) || answer(turn));
            case TURN_ENDED, TURN_AWAITING -> {
                if (turn.waits()) {
                    yield false; // it is ended by a call
                }
                end(turn, null, null, event);
                take(session, 1);
                yield true;
            }
            case STREAM_OPENED -> {
                boolean begins = turn.waits();
                if (begins) {
                    begin(turn, event);
                    take(session, 1);
                }
                yield begins;
            }
            case TURN_RECOVERING -> {
                recover(turn, event);
                take(session, 1);
                yield true;
            }
            case TURN_STOPPING -> {
                boolean withParent = turn.parent != null && turn.parent.stopRequested && turn.live();
                if (withParent) {
                    turn.stopRequested = true;
                    take(session, 1);
                }
                yield withParent;
            }
            default -> false;
        };
    }

    /** Explains a message, what moved under it, and the end that they belong to. */
    private boolean endWithMessage(ModelTurn turn) {
        List<FeedRow> events = turn.session.unexplained.stream().limit(3).toList();
        boolean moves = events.size() > 1
                && events.get(1).kind() == Kind.MESSAGE_UPDATED
                && "moved".equals(events.get(1).detail());
        int last = moves ? 2 : 1;
        if (events.size() <= last || !ends(turn, events.get(last))) {
            return false;
        }
        end(turn, events.getFirst(), moves ? events.get(1) : null, events.get(last));
        take(turn.session, last + 1);
        return true;
    }

    /** Explains an answer that came into the message of a turn that waits; with the last one, it goes on. */
    private boolean answer(ModelTurn turn) {
        Message message = turn.session.message(turn.messageId).orElse(null);
        if (turn.state != State.AWAITING || turn.stopRequested || message == null) {
            return false;
        }
        FeedRow next = turn.session.unexplained.stream().skip(1).findFirst().orElse(null);
        for (String[] answer : simulation.early.candidates(turn)) {
            if (ToolCalls.apply(message.content, answer[0], answer[1]) instanceof ToolAnswers.Applied.Changed changed
                    && mayShow(turn, SessionSimulation.text(changed.message()))
                    && (!changed.settled() || goesOn(turn, next))) {
                message.content = SessionSimulation.text(changed.message());
                turn.written = message.content;
                if (changed.settled() && next != null) {
                    simulation.model.goOn(turn, simulation.life, next.at());
                }
                take(turn.session, changed.settled() ? 2 : 1);
                return true;
            }
        }
        return false;
    }

    private static boolean goesOn(ModelTurn turn, @Nullable FeedRow event) {
        return event != null
                && event.kind() == Kind.STREAM_OPENED
                && turn.id.equals(event.turnId())
                && turn.messageId.equals(event.messageId());
    }

    /** Whether the disk has this message, or one that came of it, or none any more. */
    private boolean mayShow(ModelTurn turn, String content) {
        return onDisk(turn).map(text -> text.startsWith(content)).orElse(true);
    }

    /** The next one in line begins. */
    private void begin(ModelTurn turn, FeedRow event) {
        Violation.unless(
                ModelQueue.mayBegin(turn, event.at()),
                "turn %s begins though it is not its turn: %s",
                turn,
                ModelQueue.line(turn.session));
        turn.state = State.STREAMING;
        turn.streamName = String.valueOf(event.detail());
        turn.tries = 1;
        turn.progressAt = event.at();
        String row = turn.acceptedIn == simulation.life ? turn.waitingRow : null; // a callback dies with its process
        simulation.model.begin(turn, simulation.life, new ModelTurn.Chunks(), row, event.at());
    }

    private static boolean ends(ModelTurn turn, FeedRow event) {
        return turn.id.equals(event.turnId())
                && (event.kind() == Kind.TURN_ENDED || event.kind() == Kind.TURN_AWAITING);
    }

    private static void take(ModelSession session, int events) {
        for (int i = 0; i < events; i++) {
            session.feed.add(session.unexplained.removeFirst());
        }
    }

    /** ONE-OUTCOME, NEVER-BOTH: the turn has no outcome yet, this one is right, and its message is made of its chunks. */
    private void end(ModelTurn turn, @Nullable FeedRow message, @Nullable FeedRow moved, FeedRow event) {
        Violation.unless(turn.live(), "ONE-OUTCOME: turn %s is %s and ends again: %s", turn, turn.state, event);
        String detail = String.valueOf(event.detail());
        int colon = detail.indexOf(':');
        State state = State.valueOf((colon < 0 ? detail : detail.substring(0, colon)).toUpperCase(Locale.ROOT));
        String reason = colon < 0 ? null : detail.substring(colon + 1);
        Violation.unless(
                mayEnd(turn, state, reason),
                "ONE-OUTCOME: turn %s cannot end as %s (stop asked for: %s)",
                turn,
                detail,
                turn.stopRequested);
        putMessage(turn, MessageAssembler.End.valueOf(state.name()), message, moved);
        String row = turn.attempt().row();
        if (row != null && turn.state == State.STREAMING && turn.attempt().life() == simulation.life) {
            simulation.model.application.put(row, turn.id); // a callback dies with its process
        }
        turn.streamKept = turn.parent != null && turn.parent.live();
        turn.state = state;
        turn.awaits += state == State.AWAITING ? 1 : 0;
        turn.rested.add(state);
        turn.recovered();
        if (state.isOutcome()) { // what was kept for it to read goes with it
            turn.session.turns.values().stream()
                    .filter(t -> t.parent == turn && t.state != State.STREAMING)
                    .forEach(t -> t.streamKept = false);
        }
    }

    private boolean mayEnd(ModelTurn turn, State state, @Nullable String reason) {
        if (turn.stopRequested) {
            return state == State.STOPPED;
        }
        Job job = simulation.jobs.of(turn.messageId, turn.attempt());
        SessionOp.End end = job == null ? null : job.end;
        return switch (state) {
            case COMPLETED -> end == SessionOp.End.COMPLETES && turn.state == State.STREAMING;
            case AWAITING -> end == SessionOp.End.AWAITS && turn.state == State.STREAMING;
            case FAILED ->
                (end == SessionOp.End.THROWS
                                && job != null
                                && String.valueOf(job.reason).equals(reason))
                        || (stalled(turn)
                                && mayGiveUp(turn)
                                && String.valueOf(reason).startsWith(STALLED));
            case INTERRUPTED -> turn.attempt().life() < simulation.life && mayGiveUp(turn);
            default -> false;
        };
    }

    /** Whether its attempt may have been given up because it emitted nothing. */
    private boolean stalled(ModelTurn turn) {
        return turn.state == State.STREAMING
                && turn.mayBeStalled
                && turn.attempt().life() == simulation.life;
    }

    private boolean mayGiveUp(ModelTurn turn) {
        return turn.policy == SessionOp.Policy.INTERRUPT || turn.nests || exhausted(turn) || outOfTime(turn);
    }

    private boolean exhausted(ModelTurn turn) {
        return !turn.gotFurther()
                && turn.nextLosses() >= simulation.setup.turns().maxAttempts();
    }

    private boolean outOfTime(ModelTurn turn) {
        long since = turn.losses == 0 ? turn.progressAt : turn.furtherAt;
        long without = turn.gotFurther() ? 0 : simulation.time.wallMillis() - since;
        return turn.nextLosses() > 1
                && without > simulation.setup.turns().maxWithoutProgress().toMillis();
    }

    private void putMessage(
            ModelTurn turn, MessageAssembler.End end, @Nullable FeedRow event, @Nullable FeedRow moved) {
        ModelSession session = turn.session;
        List<String> chunks = turn.state == State.STREAMING ? turn.attempt().chunks().list : List.of();
        Message known = session.message(turn.messageId).orElse(null);
        String content = content(known == null ? null : known.content, chunks, end);
        if (known == null && turn.written != null && event != null && !shows(turn, content)) {
            content = content(turn.written, chunks, end); // it was assembled before its message was cleared away
        }
        Kind kind = event == null ? null : event.kind();
        Kind expected = content == null ? null : known == null ? Kind.MESSAGE_ADDED : Kind.MESSAGE_UPDATED;
        Violation.unless(
                kind == expected,
                "NEVER-BOTH: turn %s ends with %d chunks, and its message has the event %s, not %s",
                turn,
                chunks.size(),
                kind,
                expected);
        String moves = content == null ? null : write(turn, known, content);
        Violation.unless(
                Objects.equals(moves, moved == null ? null : moved.messageId()),
                "turn %s ends, and %s moves under its message, not %s",
                turn,
                moved,
                moves);
    }

    private boolean shows(ModelTurn turn, @Nullable String content) {
        return onDisk(turn).filter(text -> text.equals(content)).isPresent();
    }

    private Optional<String> onDisk(ModelTurn turn) {
        return simulation.process.store.observe(reads -> reads.message(turn.session.key, turn.messageId)
                .map(row -> SessionSimulation.text(reads.messageContent(row.sessionKey(), row.seq()))));
    }

    /** Returns the message that moved under it, or null. */
    private static @Nullable String write(ModelTurn turn, @Nullable Message known, String content) {
        turn.written = content;
        if (known == null) {
            return ModelMessages.answer(turn, content);
        }
        known.content = content;
        return null;
    }

    /** A lost turn goes on: as its agent says, on the same stream or a new one, and not beyond its budget. */
    private void recover(ModelTurn turn, FeedRow event) {
        boolean continues = "continue".equals(event.detail());
        Violation.unless(
                turn.state == State.STREAMING && !turn.stopRequested,
                "a stop is never undone: turn %s is %s and was taken up",
                turn,
                turn.state);
        Violation.unless(
                turn.attempt().life() < simulation.life || stalled(turn),
                "turn %s was taken up though its process lives and its agent is not quiet for long",
                turn);
        Violation.unless(
                turn.policy != SessionOp.Policy.INTERRUPT && (turn.nests || !exhausted(turn)),
                "turn %s was taken up again, try %d, policy %s",
                turn,
                turn.tries,
                turn.policy);
        Violation.unless(
                continues == (turn.policy == SessionOp.Policy.CONTINUE),
                "turn %s should %s, but goes on with %s",
                turn,
                turn.policy,
                event.detail());
        turn.lost(event.at());
        boolean progressed = turn.progressed();
        turn.tries = progressed ? 2 : turn.tries + 1;
        turn.progressAt = progressed ? event.at() : turn.progressAt;
        Attempt lost = turn.attempt();
        simulation.model.begin(
                turn,
                simulation.life,
                continues ? lost.chunks() : new ModelTurn.Chunks(),
                lost.life() == simulation.life ? lost.row() : null, // a callback dies with its process
                event.at());
    }
}
