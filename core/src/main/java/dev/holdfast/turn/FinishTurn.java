package dev.holdfast.turn;

import dev.holdfast.error.HoldfastException.MessageNotFound;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.session.PreparedMessage;
import dev.holdfast.store.Command;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.FeedRow;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.StreamQuery;
import dev.holdfast.store.StreamRow;
import dev.holdfast.store.TurnRow;
import dev.holdfast.stream.Callbacks;
import dev.holdfast.stream.CommitCallback;
import dev.holdfast.stream.Names;
import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamLimits;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The cutover: one transaction writes the turn's message, settles its stream and discards it, records the outcome in the turn and in the
 * feed, and runs the application's commit (NEVER-BOTH, ONE-OUTCOME). It is checked against the turn's epoch and against the stream's tail,
 * so that the message is made of all chunks or not written.
 */
final class FinishTurn extends Command<FinishTurn.Decision> {

    /** What was decided. */
    sealed interface Decision {
        /** The turn is cut over. */
        record Done(TurnRow row) implements Decision {}

        /** A stop was committed first: assemble the message as that of a stopped turn. */
        record StopCameFirst(String reason) implements Decision {}

        /** Chunks arrived after the message was assembled: assemble it again. */
        record ChunksCame() implements Decision {}

        /** Someone else ended or took over the turn, or its session is gone. */
        record Lost(Optional<TurnRow> row) implements Decision {}
    }

    /**
     * What the message was made of.
     *
     * @param content the assembled message; empty if there is nothing to keep
     * @param tail the number of chunks it was made of
     * @param keepStream whether the stream must stay readable although it is settled
     */
    record Cut(Ending ending, Optional<byte[]> content, long tail, boolean keepStream) {}

    /** Streams of nested turns discarded at a time with their parent. */
    private static final int NESTED_PAGE = 1000;

    private final TurnRuntime runtime;
    private final TurnRow attempt;
    private final Cut cut;
    private final @Nullable CommitCallback commit;
    private final @Nullable PreparedMessage message;

    FinishTurn(TurnRuntime runtime, String sessionId, TurnRow attempt, Cut cut, @Nullable CommitCallback commit) {
        this.runtime = runtime;
        this.attempt = attempt;
        this.cut = cut;
        this.commit = commit;
        this.message = cut.content()
                .map(content -> MessageDraft.of(attempt.messageId(), TurnRows.ANSWER_ROLE, content))
                .map(draft -> runtime.sessions().prepareAnswer(sessionId, draft.inTurn(attempt.id())))
                .orElse(null);
    }

    @Override
    protected int payloadBytes() {
        return message == null ? 0 : message.bytes();
    }

    @Override
    protected boolean exclusive() {
        return commit != null;
    }

    @Override
    protected Decision decide(CommitScope scope) {
        Optional<TurnRow> found = scope.reads().turn(attempt.sessionKey(), attempt.id());
        Optional<SessionRow> session =
                scope.reads().session(attempt.sessionKey()).filter(row -> !row.deleted());
        if (found.isEmpty() || session.isEmpty()) {
            return new Decision.Lost(found);
        }
        TurnRow row = found.get();
        if (row.epoch() != attempt.epoch() || row.state().isOutcome()) {
            return new Decision.Lost(found);
        }
        if (row.stopRequested() && !(cut.ending() instanceof Ending.Stopped)) {
            return new Decision.StopCameFirst(row.error() == null ? "" : row.error());
        }
        OptionalLong tail = runtime.streams().tail(scope, row.streamKey());
        if (row.state() != TurnRow.State.AWAITING && tail.isPresent() && tail.getAsLong() != cut.tail()) {
            return new Decision.ChunksCame();
        }
        return cutOver(scope, session.get(), row);
    }

    private Decision cutOver(CommitScope scope, SessionRow session, TurnRow row) {
        if (message != null) {
            putMessage(scope, session, row, message);
        }
        settleStream(scope, row);
        if (cut.ending().end() != MessageAssembler.End.AWAITING) {
            discardNested(scope, session, row);
        }
        Ending ending = cut.ending();
        TurnRow.State state = TurnRows.state(ending.end());
        TurnRow ended = TurnRows.edit(row)
                .state(state)
                .error(
                        ending.reason().isEmpty()
                                ? row.error()
                                : Names.shortened(ending.reason(), StreamLimits.MAX_REASON_BYTES))
                .endedAt(state.isOutcome() ? scope.now() : 0)
                .row();
        scope.writes().updateTurn(ended);
        runtime.incidents().close(scope, ended);
        runtime.sessions()
                .feed(
                        scope,
                        session,
                        state.isOutcome() ? FeedRow.Kind.TURN_ENDED : FeedRow.Kind.TURN_AWAITING,
                        message != null ? row.messageId() : null,
                        row.id(),
                        TurnRows.outcome(ended));
        if (commit != null) {
            Callbacks.run(
                    scope, commit, runtime.streams().limits(), runtime.streams().timers());
        }
        return new Decision.Done(ended);
    }

    private void putMessage(CommitScope scope, SessionRow session, TurnRow row, PreparedMessage answer) {
        String parent = row.userMessageId();
        if (parent == null) {
            put(scope, session, row, row.slot() > 0 ? answer.asRoot() : answer);
            return;
        }
        try {
            put(scope, session, row, answer.under(parent));
        } catch (MessageNotFound e) {
            runtime.sessions().put(scope, session, answer); // the message it answers was deleted meanwhile
        }
    }

    /** Puts the message before those of the turns that wait, if there are any. */
    private void put(CommitScope scope, SessionRow session, TurnRow row, PreparedMessage answer) {
        if (row.slot() == 0) {
            runtime.sessions().put(scope, session, answer);
            return;
        }
        List<String> next = Line.of(scope.reads(), session.key()).stream()
                .filter(Line::waits)
                .limit(1)
                .map(TurnRow::userMessageId)
                .filter(Objects::nonNull)
                .toList();
        runtime.sessions().putInGap(scope, session, answer, row.slot(), next);
    }

    private void settleStream(CommitScope scope, TurnRow row) {
        if (runtime.streams().tail(scope, row.streamKey()).isEmpty()) {
            return; // the turn waited without a stream, or the application discarded it
        }
        boolean failed = cut.ending() instanceof Ending.Failed || cut.ending() instanceof Ending.Interrupted;
        Settlement settlement = failed ? Settlement.errored(cut.ending().reason()) : Settlement.completed();
        boolean keep = cut.keepStream() || parentLives(scope, row);
        boolean settled = runtime.streams()
                .settle(scope, row.streamKey(), 0, keep ? settlement : settlement.discard())
                .settled();
        if (!settled && !keep) {
            runtime.streams().discard(scope, row.streamKey());
        }
        scope.writes().purgeProperties(RunContext.ownerOfRemembered(row.streamKey()), TurnLimits.MAX_REMEMBERED);
    }

    /** Whether this is a nested turn whose parent may still read its stream. */
    private static boolean parentLives(CommitScope scope, TurnRow row) {
        String parent = row.parentTurn();
        if (parent == null) {
            return false;
        }
        int slash = parent.indexOf('/');
        long sessionKey = Long.parseLong(parent.substring(0, slash));
        return TurnRows.live(scope.reads(), sessionKey, parent.substring(slash + 1))
                .isPresent();
    }

    /** The streams of nested turns were kept for this turn to read; now nobody needs them. */
    private void discardNested(CommitScope scope, SessionRow session, TurnRow row) {
        Set<StreamRow.State> settled = EnumSet.of(StreamRow.State.COMPLETED, StreamRow.State.ERRORED);
        StreamQuery nested = new StreamQuery(
                session.tenant(), settled, TurnRows.nestedTag(TurnRows.parentName(row)), null, NESTED_PAGE);
        List<StreamRow> page;
        do {
            page = scope.reads().streams(nested); // those of the page before are discarded by now
            page.forEach(stream -> runtime.streams().discard(scope, stream.key()));
        } while (page.size() == NESTED_PAGE);
    }
}
