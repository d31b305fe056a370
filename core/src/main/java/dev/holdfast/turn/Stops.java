package dev.holdfast.turn;

import dev.holdfast.error.HoldfastException.SessionNotFound;
import dev.holdfast.error.HoldfastException.TurnNotFound;
import dev.holdfast.store.TurnRow;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Stops turns: first in the store, where it counts from then on, then in this process. Thread-safe. */
final class Stops {

    private static final Logger LOG = LoggerFactory.getLogger(Stops.class);

    private final TurnRuntime runtime;
    private final Attempts attempts;

    Stops(TurnRuntime runtime, Attempts attempts) {
        this.runtime = runtime;
        this.attempts = attempts;
    }

    StopResult stop(String tenant, String sessionId, String turnId, @Nullable String reason) {
        StopTurn.Stopping stopping;
        try {
            stopping = runtime.committer().execute(new StopTurn(runtime, tenant, sessionId, turnId, reason));
        } catch (TurnNotFound e) {
            boolean kept = runtime.committer().execute(new StopAhead(runtime, tenant, sessionId, turnId, reason));
            return kept ? new StopResult(true, TurnState.STOPPED) : stop(tenant, sessionId, turnId, reason);
        }
        TurnRow row = stopping.row();
        if (stopping.accepted() && !row.state().isOutcome()) {
            carryOut(sessionId, row);
            stopNested(tenant, row, reason);
        }
        return new StopResult(stopping.accepted(), TurnRows.state(row.state()));
    }

    private void carryOut(String sessionId, TurnRow stopped) {
        if (stopped.state() == TurnRow.State.AWAITING) {
            runtime.spawn("stop-" + stopped.id(), () -> runtime.endings().endParked(sessionId, stopped));
            return;
        }
        Run run = attempts.stopped(stopped);
        if (run != null) {
            run.stop();
        } else if (isOver(stopped)) {
            attempts.forgetStop(stopped); // its run was over before the stop was kept for it
        }
    }

    private boolean isOver(TurnRow attempt) {
        return runtime.store()
                .read(reads -> reads.turn(attempt.sessionKey(), attempt.id()))
                .filter(now -> now.epoch() == attempt.epoch() && !now.state().isOutcome())
                .isEmpty();
    }

    /** What a stopped turn started, it does not want any more. */
    private void stopNested(String tenant, TurnRow parent, @Nullable String reason) {
        String name = TurnRows.parentName(parent);
        for (Run run : attempts.runs()) {
            if (name.equals(run.row().parentTurn())) {
                try {
                    StopResult unused = stop(tenant, run.sessionId(), run.row().id(), reason);
                } catch (SessionNotFound | TurnNotFound e) {
                    LOG.debug("Nested turn {} went with its session", run.row().id(), e);
                }
            }
        }
    }
}
