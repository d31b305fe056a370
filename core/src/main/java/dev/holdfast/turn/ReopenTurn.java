package dev.holdfast.turn;

import dev.holdfast.error.HoldfastException.TurnConflict;
import dev.holdfast.error.HoldfastException.TurnNotFound;
import dev.holdfast.store.Command;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.FeedRow;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.TurnRow;
import dev.holdfast.stream.StreamEngine;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Gives a turn its next attempt: after a crash on the same stream (continue) or on a new incarnation of it (retry), or after it waited. The
 * turn's epoch grows, so that whoever ran it before can write nothing more (ONE-WRITER).
 */
final class ReopenTurn extends Command<ReopenTurn.Reopened> {

    /** Why the turn goes on, and where. */
    enum Mode {
        CONTINUE,
        RETRY,
        RESUME
    }

    /**
     * The turn and its stream; without a stream, the turn does not go on.
     */
    record Reopened(SessionRow session, TurnRow row, StreamEngine.@Nullable Opened stream) {}

    private final TurnRuntime runtime;
    private final long sessionKey;
    private final String turnId;
    private final Mode mode;
    private final byte @Nullable [] input;
    private final @Nullable Budget budget;

    /**
     * @param input replaces the turn's payload, or null to leave it
     */
    ReopenTurn(TurnRuntime runtime, long sessionKey, String turnId, Mode mode, byte @Nullable [] input) {
        this(runtime, sessionKey, turnId, mode, input, null);
    }

    /**
     * @param budget what the recovery has cost, written in the same commit; or null
     */
    ReopenTurn(
            TurnRuntime runtime,
            long sessionKey,
            String turnId,
            Mode mode,
            byte @Nullable [] input,
            @Nullable Budget budget) {
        this.budget = budget;
        this.runtime = runtime;
        this.sessionKey = sessionKey;
        this.turnId = turnId;
        this.mode = mode;
        this.input = input;
    }

    @Override
    protected int payloadBytes() {
        return input == null ? 0 : input.length;
    }

    @Override
    protected Reopened decide(CommitScope scope) {
        SessionRow session = scope.reads()
                .session(sessionKey)
                .filter(row -> !row.deleted())
                .orElseThrow(() -> new TurnNotFound("#" + sessionKey, turnId));
        TurnRow row = scope.reads().turn(sessionKey, turnId).orElseThrow(() -> new TurnNotFound(session.id(), turnId));
        TurnRow.State expected = mode == Mode.RESUME ? TurnRow.State.AWAITING : TurnRow.State.STREAMING;
        if (mode == Mode.RESUME && row.state() != expected) {
            throw new TurnConflict("Turn \"%s\" waits for nobody: it is %s."
                    .formatted(turnId, TurnRows.state(row.state()).name().toLowerCase(Locale.ROOT)));
        }
        if (row.stopRequested() || row.state() != expected) {
            return new Reopened(session, row, null);
        }
        Reopened reopened = reopen(runtime, scope, session, row, mode, input == null ? row.input() : input);
        if (budget != null) {
            runtime.incidents().put(scope, row, budget);
        }
        return reopened;
    }

    /** Gives the turn its next attempt, inside a command that has checked that it may have one. */
    static Reopened reopen(
            TurnRuntime runtime, CommitScope scope, SessionRow session, TurnRow row, Mode mode, byte[] input) {
        OptionalLong tail = runtime.streams().tail(scope, row.streamKey());
        Optional<StreamEngine.Opened> same =
                mode == Mode.CONTINUE ? runtime.streams().takeOver(scope, row.streamKey()) : Optional.empty();
        boolean progressed = mode == Mode.RESUME || tail.orElse(0) > row.progress();
        StreamEngine.Opened stream = same.orElseGet(() -> fresh(runtime, scope, session, row));
        TurnRow next = TurnRows.edit(row).state(TurnRow.State.STREAMING).stream(
                        stream.key(), TurnRows.streamName(row.sessionKey(), row.id()))
                .nextEpoch()
                .attempts(mode == Mode.RESUME ? 1 : progressed ? 2 : row.attempts() + 1)
                .progress(same.isPresent() ? tail.orElse(0) : 0, progressed ? scope.now() : row.progressAt())
                .error(null)
                .input(input)
                .row();
        scope.writes().updateTurn(next);
        runtime.sessions()
                .feed(
                        scope,
                        session,
                        mode == Mode.RESUME ? FeedRow.Kind.STREAM_OPENED : FeedRow.Kind.TURN_RECOVERING,
                        row.messageId(),
                        row.id(),
                        same.isPresent() ? "continue" : mode == Mode.RESUME ? next.streamName() : "retry");
        return new Reopened(session, next, stream);
    }

    private static StreamEngine.Opened fresh(TurnRuntime runtime, CommitScope scope, SessionRow session, TurnRow row) {
        runtime.streams().discard(scope, row.streamKey());
        return TurnRows.openStream(runtime.streams(), scope, session, row);
    }
}
