package dev.holdfast.turn;

import dev.holdfast.session.MessageDraft;
import dev.holdfast.session.PreparedMessage;
import dev.holdfast.session.PutResult;
import dev.holdfast.session.SessionEngine;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.FeedRow;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.StoreReads;
import dev.holdfast.store.TurnRow;
import dev.holdfast.stream.Names;
import dev.holdfast.stream.StreamLimits;
import java.util.List;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * A session's line of turns, as a command sees it: the one that streams or awaits someone, then those that wait, in the order in which they
 * came. Nested turns stand in no line.
 *
 * <p><b>Where the message of a turn that waits goes.</b> It is in the tree at once, under the message that the turn before it answers, since that
 * answer is not there yet: under the active leaf, or beside the old answer where that turn writes it anew. A number is left free below it, its
 * <i>slot</i>; the turn before it knows the slot and writes its answer there, and the message moves under the answer in the same commit. So at
 * each instant the path to the active leaf has every message of the user in order, and once it is a turn's turn, its history has the answers
 * as well. A message that begins a branch, such as an edited one, stays where it was put; with the slot below it the answer that comes later is
 * the older one, so that the branch that was begun last stays the active one.
 */
final class Line {

    private Line() {}

    /** First come, first. */
    static List<TurnRow> of(StoreReads reads, long sessionKey) {
        return reads.liveTurns(sessionKey).stream()
                .filter(turn -> turn.parentTurn() == null)
                .toList();
    }

    static boolean waits(TurnRow turn) {
        return turn.state() == TurnRow.State.ACCEPTED;
    }

    /** Those whose place a later submission may take. */
    static List<TurnRow> replaceable(List<TurnRow> line) {
        return line.stream()
                .filter(turn -> waits(turn) && turn.kind() == TurnRow.Kind.SUBMIT)
                .toList();
    }

    /**
     * Puts the message of a turn that has to wait, with a slot below it for the answer of the turn before it where that one needs it.
     *
     * @param plainly puts it, or finds it, without a slot
     * @return the message's id, or null in an empty session
     */
    static @Nullable String putQuestion(
            SessionEngine sessions,
            CommitScope scope,
            SessionRow session,
            TurnRow before,
            BiFunction<CommitScope, SessionRow, @Nullable String> plainly,
            @Nullable PreparedMessage message) {
        if (message == null
                || scope.reads().message(session.key(), message.draft().id()).isPresent()
                || !needsSlot(scope, before)) {
            return plainly.apply(scope, session);
        }
        PutResult put = sessions.putBehindGap(scope, session, placed(scope, before, message));
        scope.writes().updateTurn(TurnRows.edit(before).slot(put.seq() - 1).row());
        return put.messageId();
    }

    /** What goes under the leaf is to follow the turn before it. If that writes an answer anew, it answers another message than the leaf. */
    private static PreparedMessage placed(CommitScope scope, TurnRow before, PreparedMessage message) {
        String answered = before.userMessageId();
        boolean follows = message.draft().placement() instanceof MessageDraft.Placement.UnderLeaf;
        if (!follows || before.kind() != TurnRow.Kind.REGENERATE || answered == null) {
            return message;
        }
        boolean isThere = scope.reads().message(before.sessionKey(), answered).isPresent();
        return isThere ? message.under(answered) : message;
    }

    private static boolean needsSlot(CommitScope scope, TurnRow before) {
        boolean answered =
                scope.reads().message(before.sessionKey(), before.messageId()).isPresent();
        boolean inUse = before.slot() > 0
                && scope.reads().message(before.sessionKey(), before.slot() + 1).isPresent();
        return !answered && !inUse;
    }

    /** Ends a turn that waits; nothing was written for it but its message, which stays. */
    static TurnRow end(
            SessionEngine sessions, CommitScope scope, SessionRow session, TurnRow waiting, @Nullable String reason) {
        TurnRow ended = TurnRows.edit(waiting)
                .state(TurnRow.State.STOPPED)
                .stopRequested()
                .error(reason == null ? null : Names.shortened(reason, StreamLimits.MAX_REASON_BYTES))
                .endedAt(scope.now())
                .row();
        scope.writes().updateTurn(ended);
        sessions.feed(scope, session, FeedRow.Kind.TURN_ENDED, null, ended.id(), TurnRows.outcome(ended));
        return ended;
    }
}
