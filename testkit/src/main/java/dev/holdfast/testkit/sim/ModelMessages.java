package dev.holdfast.testkit.sim;

import dev.holdfast.store.FeedRow.Kind;
import dev.holdfast.testkit.sim.ModelSession.Message;
import dev.holdfast.testkit.sim.SessionCall.Event;
import dev.holdfast.testkit.sim.SessionModel.Starting;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where the messages of turns go. The question of a turn that waits is in the tree at once, with a number left free below it for the answer
 * of the turn before it; that answer takes the number, and the question moves under it.
 */
final class ModelMessages {

    private ModelMessages() {}

    static String questionId(Starting start) {
        return "q-" + start.turn();
    }

    /** What is told of the message that a start brings. */
    static Optional<Event> asked(Starting start, ModelSession session) {
        String question = start.question();
        Message known = session.message(questionId(start)).orElse(null);
        if (question == null || (known != null && known.content.equals(question))) {
            return Optional.empty();
        }
        Kind kind = known == null ? Kind.MESSAGE_ADDED : Kind.MESSAGE_UPDATED;
        return Optional.of(new Event(kind, questionId(start), start.turn(), null));
    }

    /**
     * Puts the message that a start brings.
     *
     * @param before the turn behind which it waits, or null
     * @return the message that the turn answers, or null
     */
    static @Nullable String ask(Starting start, ModelSession session, @Nullable ModelTurn before) {
        String question = start.question();
        Message leaf = session.leaf();
        if (question == null) {
            return leaf == null ? null : leaf.id;
        }
        String id = questionId(start);
        Message known = session.message(id).orElse(null);
        if (known != null) {
            known.content = question;
        } else if (before != null && needsSlot(session, before)) {
            long under = leaf == null ? 0 : leaf.seq;
            before.slot = under + 1;
            session.addAs(under + 2, id, "user", question, under);
        } else {
            session.add(id, "user", question, null);
        }
        return id;
    }

    private static boolean needsSlot(ModelSession session, ModelTurn before) {
        boolean answered = session.message(before.messageId).isPresent();
        boolean inUse = before.slot > 0 && session.numbered(before.slot + 1).isPresent();
        return !answered && !inUse;
    }

    /** Adds a turn's answer. Returns the message that moved under it, or null. */
    static @Nullable String answer(ModelTurn turn, String content) {
        ModelSession session = turn.session;
        Message asked =
                turn.answers == null ? null : session.message(turn.answers).orElse(null);
        boolean askedIsGone = turn.answers != null && asked == null;
        long parent = asked == null ? 0 : asked.seq;
        boolean slot = turn.slot > parent
                && !askedIsGone
                && session.numbered(turn.slot).isEmpty();
        if (!slot) {
            boolean atLeaf = askedIsGone || (asked == null && turn.slot == 0);
            session.add(turn.messageId, "assistant", content, atLeaf ? null : Long.valueOf(parent));
            return null;
        }
        session.addAs(turn.slot, turn.messageId, "assistant", content, parent);
        Optional<Message> moves = Stream.concat(
                        session.numbered(turn.slot + 1).stream(),
                        next(session).flatMap(id -> session.message(id).stream()))
                .filter(message -> message.seq > turn.slot && message.parent == parent)
                .findFirst();
        moves.ifPresent(message -> message.parent = turn.slot);
        return moves.map(message -> message.id).orElse(null);
    }

    /** What the first turn that waits answers. */
    private static Stream<String> next(ModelSession session) {
        List<ModelTurn> waiting = ModelQueue.waiting(session);
        String first = waiting.isEmpty() ? null : waiting.getFirst().answers;
        return Stream.ofNullable(first);
    }
}
