package dev.holdfast.turn;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.Closed;
import dev.holdfast.error.HoldfastException.StaleEpoch;
import dev.holdfast.error.HoldfastException.StorePoisoned;
import dev.holdfast.error.HoldfastException.StreamClosed;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.store.TurnRow;
import dev.holdfast.stream.CommitCallback;
import dev.holdfast.stream.StreamWriter;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt of a turn in this process: the agent on a virtual thread of its own, and a supervisor that waits for it and then cuts the
 * turn over.
 *
 * <p>The supervisor, not the agent, decides when the run is over: a stopped agent that does not return within the grace is left behind, and
 * whatever it emits later is refused. A failed commit of the finished message is tried again with growing pauses while the stream stays
 * live, so that the turn is never settled without its message.
 */
final class Run {

    private static final Logger LOG = LoggerFactory.getLogger(Run.class);

    private final TurnRuntime runtime;
    private final TurnRow row;
    private final String sessionId;
    private final StreamWriter writer;
    private final @Nullable CommitCallback commit;
    private final RunContext context;
    private final StallWatch stall;
    private final CompletableFuture<RunEnd> agentEnded = new CompletableFuture<>();
    private final CompletableFuture<Boolean> stopped = new CompletableFuture<>();
    private volatile boolean abandoned;

    /** How a run ended. */
    private sealed interface RunEnd {

        /** The turn ends, or waits. */
        record Decided(Ending ending) implements RunEnd {}

        /** Only this attempt ends. */
        record Lost(Loss loss) implements RunEnd {}
    }

    private volatile @Nullable Thread agentThread;

    Run(
            TurnRuntime runtime,
            String tenant,
            String sessionId,
            TurnRow row,
            StreamWriter writer,
            @Nullable CommitCallback commit) {
        this.runtime = runtime;
        this.row = row;
        this.sessionId = sessionId;
        this.writer = writer;
        this.commit = commit;
        this.stall = new StallWatch(
                runtime.streams().time(),
                runtime.streams().timers(),
                runtime.settings().recovery().stallTimeout());
        this.context = new RunContext(runtime, tenant, sessionId, row, writer, this::progressed);
    }

    TurnRow row() {
        return row;
    }

    String sessionId() {
        return sessionId;
    }

    /** The turn, or one that it nests, emitted something. */
    void progressed() {
        stall.progressed();
        String parent = row.parentTurn();
        if (parent != null) {
            runtime.progressed(parent);
        }
    }

    void begin() {
        Thread unused = runtime.spawn("turn-" + row.id(), this::supervise);
    }

    /** A stop was committed: tells the agent. */
    void stop() {
        stopped.complete(true);
        context.stop();
        interruptAgent();
    }

    /** The process ends: leaves the turn live, to be taken up again. */
    void abandon() {
        abandoned = true;
        stopped.complete(true);
        context.abandon();
        interruptAgent();
    }

    private void interruptAgent() {
        Thread thread = agentThread;
        if (thread != null && !agentEnded.isDone()) {
            thread.interrupt();
        }
    }

    private void supervise() {
        try {
            agentThread = runtime.spawn("agent-" + row.id(), this::runAgent);
            if (stopped.isDone()) {
                interruptAgent(); // the stop came before there was a thread to interrupt
            }
            stall.start();
            RunEnd end = awaitAgent();
            stall.close();
            context.end();
            if (abandoned) {
                runtime.abandoned(row);
                return;
            }
            switch (end) {
                case RunEnd.Decided decided -> finish(decided.ending());
                case RunEnd.Lost lost -> new Takeover(runtime, row, lost.loss(), stopped, commit).run();
            }
        } catch (Throwable e) { // nobody else would hear of it
            LOG.error("Turn {} of session {} is left for recovery because of a defect", row.id(), sessionId, e);
            runtime.abandoned(row);
        }
    }

    private void runAgent() {
        RunEnd end;
        try {
            AgentResult result = runtime.agent(row.agent()).run(context);
            end = new RunEnd.Decided(
                    switch (result) {
                        case AgentResult.Completed c -> new Ending.Completed();
                        case AgentResult.Awaiting a -> new Ending.Awaiting(a.reason());
                    });
        } catch (InterruptedException e) {
            end = new RunEnd.Decided(
                    context.stopRequested()
                            ? new Ending.Stopped("")
                            : new Ending.Failed("The agent was interrupted without a stop"));
        } catch (Throwable e) { // an agent's failure of any kind is the turn's outcome, unless it may pass
            end = failed(e);
        }
        agentEnded.complete(end);
    }

    private RunEnd failed(Throwable e) {
        if (context.stopRequested()) {
            return new RunEnd.Decided(new Ending.Stopped(""));
        }
        LOG.info("The agent of turn {} failed", row.id(), e);
        return e instanceof Exception failure && isTransient(failure)
                ? new RunEnd.Lost(new Loss(Incident.Cause.AGENT_FAILED, reason(e)))
                : new RunEnd.Decided(new Ending.Failed(reason(e)));
    }

    private boolean isTransient(Exception failure) {
        try {
            return runtime.agent(row.agent()).isTransient(failure);
        } catch (RuntimeException e) {
            LOG.warn("Whether the failure of turn {} may pass cannot be told; it counts as final", row.id(), e);
            return false;
        }
    }

    private static String reason(Throwable e) {
        String message = e.getMessage();
        return message == null || message.isBlank() ? e.getClass().getSimpleName() : message;
    }

    private RunEnd awaitAgent() throws InterruptedException {
        try {
            Object unused = CompletableFuture.anyOf(agentEnded, stopped, stall.stalled())
                    .get();
            boolean gaveUp = !agentEnded.isDone() && !stopped.isDone();
            if (gaveUp) { // the agent has to return, but nothing of its turn ends
                context.abandon();
                interruptAgent();
            }
            boolean returned =
                    runtime.waits().comesWithin(agentEnded, runtime.limits().stopGrace());
            if (gaveUp && !stopped.isDone()) {
                return new RunEnd.Lost(stall.stalled().get());
            }
            if (returned && !gaveUp) {
                return agentEnded.get();
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException("An agent's end is a value", e);
        }
        if (!abandoned) {
            LOG.warn(
                    "The agent of turn {} did not return {} after its stop and is left behind",
                    row.id(),
                    runtime.limits().stopGrace());
        }
        return new RunEnd.Decided(new Ending.Stopped(""));
    }

    /** Cuts the turn over, however often the commit fails, until it is decided or the process ends. */
    private void finish(Ending first) {
        Ending ending = first;
        Duration pause = TurnLimits.FIRST_COMMIT_BACKOFF;
        while (!abandoned) {
            try {
                Optional<Ending> instead = runtime.endings().cutOver(sessionId, row, ending, writer, commit);
                if (instead.isEmpty()) {
                    return;
                }
                ending = instead.get();
            } catch (StorePoisoned | Closed e) {
                runtime.abandoned(row); // the next open of the store takes the turn up
                return;
            } catch (StaleEpoch | StreamNotFound | StreamClosed e) {
                runtime.endings().lost(row);
                return;
            } catch (HoldfastException e) {
                LOG.warn(
                        "The end of turn {} could not be committed and is tried again in {}: {}",
                        row.id(),
                        pause,
                        e.getMessage());
                pause = runtime.waits().pauseAndGrow(pause);
            }
        }
        runtime.abandoned(row);
    }
}
