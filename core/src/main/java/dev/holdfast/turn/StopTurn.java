package dev.holdfast.turn;

import dev.holdfast.error.HoldfastException.TurnNotFound;
import dev.holdfast.store.Command;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.FeedRow;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.TurnRow;
import dev.holdfast.stream.Names;
import dev.holdfast.stream.StreamLimits;
import org.jspecify.annotations.Nullable;

/** Commits the intent to stop, unless the turn has its outcome: one conditional write that races with the cutover. */
final class StopTurn extends Command<StopTurn.Stopping> {

    /**
     * The turn as it stands.
     *
     * @param accepted whether the stop was in time
     */
    record Stopping(TurnRow row, boolean accepted) {}

    private final TurnRuntime runtime;
    private final String tenant;
    private final String sessionId;
    private final String turnId;
    private final @Nullable String reason;

    StopTurn(TurnRuntime runtime, String tenant, String sessionId, String turnId, @Nullable String reason) {
        this.runtime = runtime;
        this.tenant = tenant;
        this.sessionId = sessionId;
        this.turnId = turnId;
        this.reason = reason == null ? null : Names.shortened(reason, StreamLimits.MAX_REASON_BYTES);
    }

    @Override
    protected boolean freesSpace() {
        return true;
    }

    @Override
    protected Stopping decide(CommitScope scope) {
        SessionRow session = runtime.sessions().require(scope, tenant, sessionId);
        TurnRow row = scope.reads().turn(session.key(), turnId).orElseThrow(() -> new TurnNotFound(sessionId, turnId));
        if (row.state().isOutcome()) {
            return new Stopping(row, false);
        }
        if (row.stopRequested()) {
            return new Stopping(row, true);
        }
        if (Line.waits(row)) {
            return new Stopping(runtime.queue().endWaiting(scope, session, row, reason), true);
        }
        TurnRow stopping = TurnRows.edit(row).stopRequested().error(reason).row();
        scope.writes().updateTurn(stopping);
        runtime.sessions().feed(scope, session, FeedRow.Kind.TURN_STOPPING, null, turnId, reason);
        return new Stopping(stopping, true);
    }
}
