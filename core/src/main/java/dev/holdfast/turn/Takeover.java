package dev.holdfast.turn;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.StoreBusy;
import dev.holdfast.store.PropertyRow;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.StoreReads;
import dev.holdfast.store.StreamQuery;
import dev.holdfast.store.StreamRow;
import dev.holdfast.store.TurnRow;
import dev.holdfast.stream.CommitCallback;
import dev.holdfast.stream.StreamEngine;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes up one turn whose attempt is lost, because its process ended, its agent stalled, or its provider failed: asks its agent how it goes on,
 * within the turn's budgets, and gives it its next attempt; or ends it, with the partial kept. A stop that was committed before is carried
 * out, never undone. All losses go through here, so one incident and one budget cover whatever happens to a turn.
 */
final class Takeover implements Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(Takeover.class);

    private final TurnRuntime runtime;
    private final TurnRow lost;
    private final Loss loss;
    private final CompletableFuture<Boolean> stopped;
    private final @Nullable CommitCallback commit;

    /** The turn's process was lost. */
    Takeover(TurnRuntime runtime, TurnRow lost) {
        this(
                runtime,
                lost,
                Loss.ofProcess(),
                new CompletableFuture<>(),
                runtime.settings().commit());
    }

    /**
     * @param stopped completes when the turn is stopped while it waits for its next attempt
     */
    Takeover(
            TurnRuntime runtime,
            TurnRow lost,
            Loss loss,
            CompletableFuture<Boolean> stopped,
            @Nullable CommitCallback commit) {
        this.runtime = runtime;
        this.lost = lost;
        this.loss = loss;
        this.stopped = stopped;
        this.commit = commit;
    }

    @Override
    public void run() {
        Duration pause = TurnLimits.FIRST_COMMIT_BACKOFF;
        while (!runtime.draining()) {
            try {
                Optional<SessionRow> session = runtime.store()
                        .read(reads -> reads.session(lost.sessionKey()))
                        .filter(row -> !row.deleted());
                Optional<TurnRow> now = runtime.store().read(reads -> reads.turn(lost.sessionKey(), lost.id()));
                if (session.isEmpty()
                        || now.isEmpty()
                        || now.get().epoch() != lost.epoch()
                        || now.get().state().isOutcome()) {
                    runtime.endings().lost(lost);
                    return;
                }
                decide(session.get(), now.get());
                return;
            } catch (HoldfastException.StorePoisoned | HoldfastException.Closed e) {
                break; // the next open takes the turn up
            } catch (HoldfastException e) {
                LOG.warn(
                        "Turn {} could not be taken up and is tried again in {}: {}", lost.id(), pause, e.getMessage());
            } catch (RuntimeException e) {
                LOG.error(
                        "Turn {} could not be taken up because of a defect; the next start tries again", lost.id(), e);
                break;
            }
            pause = runtime.waits().pauseAndGrow(pause);
        }
        runtime.abandoned(lost);
    }

    private void decide(SessionRow session, TurnRow row) {
        if (row.state() == TurnRow.State.AWAITING && !row.stopRequested()) {
            runtime.answers().applyKept(session, row);
            return;
        }
        if (row.stopRequested()) {
            end(session, row, new Ending.Stopped(row.error() == null ? "" : row.error()));
            return;
        }
        Budget budget = Budget.after(
                runtime.incidents().find(row).orElse(null),
                row,
                loss,
                left(session, row),
                runtime.streams().time().wallMillis(),
                runtime.settings().recovery());
        Optional<String> exhausted =
                budget.exhausted(runtime.limits(), runtime.settings().recovery(), isWanted(budget));
        if (exhausted.isPresent()) {
            giveUp(session, row, budget, exhausted.get());
            return;
        }
        pause(budget);
        if (runtime.draining()) {
            runtime.abandoned(lost);
            return;
        }
        Agent.Recovery recovery = ask(session, row);
        if (recovery == Agent.Recovery.INTERRUPT) {
            giveUp(session, row, budget, "");
            return;
        }
        reopen(session, row, budget, recovery == Agent.Recovery.CONTINUE);
    }

    private void reopen(SessionRow session, TurnRow row, Budget budget, boolean onSameStream) {
        ReopenTurn.Mode mode = onSameStream ? ReopenTurn.Mode.CONTINUE : ReopenTurn.Mode.RETRY;
        ReopenTurn.Reopened reopened =
                runtime.committer().execute(new ReopenTurn(runtime, row.sessionKey(), row.id(), mode, null, budget));
        StreamEngine.Opened stream = reopened.stream();
        if (stream != null) {
            LOG.info(
                    "Turn {} of session {} is taken up again ({}), attempt {}: {}",
                    row.id(),
                    session.id(),
                    mode,
                    reopened.row().attempts(),
                    loss.reason());
            runtime.takenUp(session, lost, reopened.row(), stream.writer(), commit);
        } else if (reopened.row().stopRequested()) {
            end(session, row, new Ending.Stopped(""));
        } else {
            runtime.endings().lost(lost);
        }
    }

    /** A provider that failed is left alone for a while; a process that comes back, or a stalled agent, has waited already. */
    private void pause(Budget budget) {
        if (loss.cause() != Incident.Cause.AGENT_FAILED) {
            return;
        }
        long doublings = Math.min(budget.attempts() - 1L, 16);
        Duration pause = RecoverySettings.FIRST_PAUSE.multipliedBy(1L << doublings);
        Duration bounded = pause.compareTo(RecoverySettings.MAX_PAUSE) > 0 ? RecoverySettings.MAX_PAUSE : pause;
        try {
            boolean unused = runtime.waits().comesWithin(stopped, bounded);
        } catch (InterruptedException e) {
            LOG.debug("A pause was cut short", e); // what comes next finds out why
        }
    }

    private boolean isWanted(Budget budget) {
        if (budget.attempts() < 2) {
            return true;
        }
        try {
            return runtime.settings().recovery().keepRecovering().test(Incidents.view(budget));
        } catch (RuntimeException e) {
            LOG.warn("The predicate on recoveries failed; turn {} is recovered", lost.id(), e);
            return true;
        }
    }

    private void giveUp(SessionRow session, TurnRow row, Budget budget, String why) {
        boolean unused = runtime.committer().execute(runtime.incidents().write(row, budget));
        end(session, row, loss.ending(why));
    }

    private Agent.Recovery ask(SessionRow session, TurnRow row) {
        Agent agent;
        try {
            agent = runtime.agent(row.agent());
        } catch (HoldfastException.InvalidArgument e) {
            LOG.error("Turn {} ends as interrupted: {}", row.id(), e.getMessage());
            return Agent.Recovery.INTERRUPT;
        }
        String owner = RunContext.ownerOfRemembered(row.streamKey());
        Agent.LostTurn turn = new Agent.LostTurn(
                session.id(),
                row.id(),
                row.attempts() + 1,
                chunks(row),
                row.streamName() == null ? "" : row.streamName(),
                name -> runtime.store()
                        .read(reads -> reads.property(owner, name))
                        .map(PropertyRow::value));
        try {
            return agent.recover(turn);
        } catch (StoreBusy e) { // what it looked at is away for the moment, and it has to be asked again
            throw e;
        } catch (RuntimeException e) {
            LOG.warn("Agent {} could not say how turn {} goes on; it is retried", row.agent(), row.id(), e);
            return Agent.Recovery.RETRY;
        }
    }

    private long chunks(TurnRow row) {
        return runtime.streams().tailOf(row.streamKey()).orElse(0);
    }

    /** What the attempt left, with the turns that it nests: their progress is its own. */
    private Budget.Left left(SessionRow session, TurnRow row) {
        StreamQuery nested = new StreamQuery(
                session.tenant(),
                EnumSet.of(StreamRow.State.LIVE, StreamRow.State.COMPLETED, StreamRow.State.ERRORED),
                TurnRows.nestedTag(TurnRows.parentName(row)),
                null,
                runtime.limits().maxNested() + 1);
        List<StreamRow> streams = runtime.store().read((StoreReads reads) -> reads.streams(nested));
        long chunks = 0;
        for (StreamRow stream : streams) {
            chunks += runtime.streams().tailOf(stream.key()).orElse(0);
        }
        return new Budget.Left(chunks(row), chunks);
    }

    private void end(SessionRow session, TurnRow row, Ending ending) {
        boolean streamThere = row.state() != TurnRow.State.AWAITING // what a waiting turn had is in its message
                && runtime.store()
                        .read(reads -> reads.stream(row.streamKey()))
                        .filter(stream -> !stream.state().isGone())
                        .isPresent();
        runtime.endings()
                .endWithoutAgent(
                        session.id(),
                        row,
                        ending,
                        streamThere
                                ? runtime.streams().writerOf(row.streamKey()).orElse(null)
                                : null,
                        commit);
    }
}
