package dev.holdfast.turn;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.store.PropertyRow;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.StreamRow;
import dev.holdfast.store.TurnRow;
import dev.holdfast.stream.StreamEngine;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes up one turn that an earlier process lost: asks its agent how it goes on, within the turn's budgets, and gives it its next attempt;
 * or ends it, with the partial kept. A stop that was committed before the crash is carried out, never undone.
 */
final class Takeover implements Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(Takeover.class);

    private final TurnRuntime runtime;
    private final TurnRow lost;

    Takeover(TurnRuntime runtime, TurnRow lost) {
        this.runtime = runtime;
        this.lost = lost;
    }

    @Override
    public void run() {
        Duration pause = TurnLimits.FIRST_COMMIT_BACKOFF;
        while (!runtime.draining()) {
            try {
                Optional<SessionRow> session = runtime.store().read(reads -> reads.session(lost.sessionKey()));
                if (session.isEmpty() || session.get().deleted()) {
                    runtime.endings().lost(lost); // it went with its session
                    return;
                }
                decide(session.get());
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
            pause = runtime.pauseAndGrow(pause);
        }
        runtime.abandoned(lost);
    }

    private void decide(SessionRow session) {
        if (lost.state() == TurnRow.State.AWAITING && !lost.stopRequested()) {
            runtime.answers().applyKept(session, lost);
            return;
        }
        Optional<Ending> end = lost.stopRequested()
                ? Optional.of(new Ending.Stopped(lost.error() == null ? "" : lost.error()))
                : exhausted();
        if (end.isPresent()) {
            end(session, end.get());
            return;
        }
        Agent.Recovery recovery = ask(session);
        if (recovery == Agent.Recovery.INTERRUPT) {
            end(session, new Ending.Interrupted("The process that ran it was lost"));
            return;
        }
        ReopenTurn.Mode mode = recovery == Agent.Recovery.CONTINUE ? ReopenTurn.Mode.CONTINUE : ReopenTurn.Mode.RETRY;
        ReopenTurn.Reopened reopened =
                runtime.committer().execute(new ReopenTurn(runtime, lost.sessionKey(), lost.id(), mode, null));
        StreamEngine.Opened stream = reopened.stream();
        if (stream != null) {
            LOG.info(
                    "Turn {} of session {} is taken up again ({}), attempt {}",
                    lost.id(),
                    session.id(),
                    mode,
                    reopened.row().attempts());
            runtime.takenUp(session, lost, reopened.row(), stream.writer());
        } else if (reopened.row().stopRequested()) {
            end(session, new Ending.Stopped(""));
        } else {
            runtime.endings().lost(lost);
        }
    }

    private Optional<Ending> exhausted() {
        boolean progressed = chunks() > lost.progress();
        if (!progressed && lost.attempts() >= runtime.limits().maxAttempts()) {
            return Optional.of(
                    new Ending.Interrupted("It was lost %d times without progress".formatted(lost.attempts())));
        }
        long without = runtime.streams().time().wallMillis() - lost.progressAt();
        if (!progressed
                && lost.attempts() > 1
                && without > runtime.limits().maxWithoutProgress().toMillis()) {
            return Optional.of(new Ending.Interrupted("It made no progress for %d s".formatted(without / 1000)));
        }
        return Optional.empty();
    }

    private Agent.Recovery ask(SessionRow session) {
        Agent agent;
        try {
            agent = runtime.agent(lost.agent());
        } catch (HoldfastException.InvalidArgument e) {
            LOG.error("Turn {} ends as interrupted: {}", lost.id(), e.getMessage());
            return Agent.Recovery.INTERRUPT;
        }
        String owner = RunContext.ownerOfRemembered(lost.streamKey());
        Agent.LostTurn turn = new Agent.LostTurn(
                session.id(),
                lost.id(),
                lost.attempts() + 1,
                chunks(),
                lost.streamName() == null ? "" : lost.streamName(),
                name -> runtime.store()
                        .read(reads -> reads.property(owner, name))
                        .map(PropertyRow::value));
        try {
            return agent.recover(turn);
        } catch (RuntimeException e) {
            LOG.warn("Agent {} could not say how turn {} goes on; it is retried", lost.agent(), lost.id(), e);
            return Agent.Recovery.RETRY;
        }
    }

    private long chunks() {
        return runtime.streams().tailOf(lost.streamKey()).orElse(0);
    }

    private void end(SessionRow session, Ending ending) {
        boolean streamThere = lost.state() != TurnRow.State.AWAITING // what a waiting turn had is in its message
                && runtime.store()
                        .read(reads -> reads.stream(lost.streamKey()))
                        .filter(row -> row.state() != StreamRow.State.DISCARDED)
                        .isPresent();
        runtime.endings()
                .endWithoutAgent(
                        session.id(),
                        lost,
                        ending,
                        streamThere
                                ? runtime.streams().writerOf(lost.streamKey()).orElse(null)
                                : null);
    }
}
