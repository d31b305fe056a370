package dev.holdfast.turn;

import dev.holdfast.error.HoldfastException.TurnConflict;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.store.Command;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.MessageRow;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.TurnRow;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Writes the message with an answer and, if it was the last that the turn waited for, lets the turn go on, in one commit. The message was
 * made outside, of the one that was there then; if that changed meanwhile, nothing is written.
 */
final class AnswerTurn extends Command<Optional<AnswerTurn.Answered>> {

    /** The turn after it; with its new stream if it goes on. */
    record Answered(TurnRow row, ReopenTurn.@Nullable Reopened reopened) {}

    private final TurnRuntime runtime;
    private final TurnRow waiting;
    private final byte[] before;
    private final ToolAnswers.Applied.Changed changed;
    private final @Nullable String keptAs;

    /**
     * @param before the message that the answer was applied to
     * @param keptAs the property that kept the answer until now, or null
     */
    AnswerTurn(
            TurnRuntime runtime,
            TurnRow waiting,
            byte[] before,
            ToolAnswers.Applied.Changed changed,
            @Nullable String keptAs) {
        this.runtime = runtime;
        this.waiting = waiting;
        this.before = before;
        this.changed = changed;
        this.keptAs = keptAs;
    }

    @Override
    protected int payloadBytes() {
        return changed.message().length;
    }

    @Override
    protected Optional<Answered> decide(CommitScope scope) {
        Optional<SessionRow> session =
                scope.reads().session(waiting.sessionKey()).filter(row -> !row.deleted());
        Optional<TurnRow> now = scope.reads().turn(waiting.sessionKey(), waiting.id());
        Optional<MessageRow> message = scope.reads().message(waiting.sessionKey(), waiting.messageId());
        if (session.isEmpty()
                || message.isEmpty()
                || now.isEmpty()
                || now.get().state() != TurnRow.State.AWAITING
                || now.get().epoch() != waiting.epoch()
                || !Arrays.equals(
                        before,
                        scope.reads()
                                .messageContent(
                                        waiting.sessionKey(), message.get().seq()))) {
            return Optional.empty();
        }
        if (now.get().stopRequested()) {
            throw new TurnConflict("Turn \"%s\" was stopped and takes no more answers.".formatted(waiting.id()));
        }
        return Optional.of(answer(scope, session.get(), message.get(), now.get()));
    }

    private Answered answer(CommitScope scope, SessionRow session, MessageRow message, TurnRow row) {
        MessageDraft draft = MessageDraft.of(message.id(), message.role(), changed.message());
        runtime.sessions().put(scope, session, draft.inTurn(row.id()));
        if (keptAs != null) {
            scope.writes().deleteProperty(KeptAnswers.owner(row.sessionKey()), keptAs);
        }
        if (!changed.settled()) {
            return new Answered(row, null);
        }
        ReopenTurn.Reopened reopened =
                ReopenTurn.reopen(runtime, scope, session, row, ReopenTurn.Mode.RESUME, row.input());
        return new Answered(reopened.row(), reopened);
    }
}
