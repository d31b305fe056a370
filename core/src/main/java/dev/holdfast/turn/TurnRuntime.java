package dev.holdfast.turn;

import dev.holdfast.cluster.Far;
import dev.holdfast.error.HoldfastException.Closed;
import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.Overloaded;
import dev.holdfast.error.HoldfastException.SessionNotFound;
import dev.holdfast.session.SessionEngine;
import dev.holdfast.store.Committer;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.Store;
import dev.holdfast.store.TurnRow;
import dev.holdfast.stream.CommitCallback;
import dev.holdfast.stream.StreamEngine;
import dev.holdfast.stream.StreamWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the turns of one store in this process: starts them, stops them, and takes up those that an earlier process lost. {@link Endings} cuts
 * them over, {@link TurnQueue} starts those that wait.
 *
 * <p>For Holdfast's own packages; applications use {@link Turns}. Everything that decides is a command on the committer's thread, checked
 * against the turn's epoch; this class only knows which turns have a thread here. Thread-safe.
 */
public final class TurnRuntime {

    private static final Logger LOG = LoggerFactory.getLogger(TurnRuntime.class);

    private static final int RECOVERY_PAGE = 256;

    private final StreamEngine streams;
    private final SessionEngine sessions;
    private final TurnSettings settings;
    private final Attempts attempts = new Attempts();
    private final Endings endings = new Endings(this, attempts);
    private final Stops stops = new Stops(this, attempts);
    private final Answers answers = new Answers(this);
    private final Incidents incidents = new Incidents(this);
    private final TurnQueue queue;
    private final Waits waits;
    private volatile IntSupplier runningInProcess = this::running;
    private volatile boolean draining;

    public TurnRuntime(StreamEngine streams, SessionEngine sessions, TurnSettings settings) {
        this.streams = streams;
        this.sessions = sessions;
        this.settings = settings;
        this.queue = new TurnQueue(this);
        this.waits = new Waits(streams.timers());
        sessions.onDeleted(key -> spawn("deleted-" + key, () -> stopAll(key)));
    }

    /** Runs something of a turn on a thread of its own. */
    Thread spawn(String name, Runnable body) {
        return Thread.ofVirtual().name("holdfast-" + name).start(body);
    }

    /** The session is gone, and its turns with it: tells those that run, and who waits for one that does not. */
    private void stopAll(long sessionKey) {
        for (Run run : attempts.runs()) {
            if (run.row().sessionKey() == sessionKey) {
                run.stop();
            }
        }
        attempts.forgetWaiting(sessionKey);
        queue.forget(sessionKey);
    }

    StreamEngine streams() {
        return streams;
    }

    SessionEngine sessions() {
        return sessions;
    }

    TurnSettings settings() {
        return settings;
    }

    TurnQueue queue() {
        return queue;
    }

    Endings endings() {
        return endings;
    }

    Incidents incidents() {
        return incidents;
    }

    Answers answers() {
        return answers;
    }

    Waits waits() {
        return waits;
    }

    Committer committer() {
        return streams.committer();
    }

    Store store() {
        return streams.store();
    }

    TurnLimits limits() {
        return settings.limits();
    }

    Agent agent(String name) {
        Agent agent = settings.agents().get(name);
        if (agent == null) {
            throw new InvalidArgument("There is no agent \"%s\". Registered are: %s."
                    .formatted(
                            name,
                            String.join(
                                    ", ",
                                    settings.agents().keySet().stream().sorted().toList())));
        }
        return agent;
    }

    String newId(String prefix) {
        return "%s_%016x%016x"
                .formatted(prefix, streams.time().randomLong(), streams.time().randomLong());
    }

    TurnHandle start(String tenant, String sessionId, TurnRequest request) {
        if (draining) {
            throw new Closed(
                    "Holdfast is shutting down and starts no more turns. Try again on another node or in a moment.");
        }
        Far far = streams.far();
        if (far != null) {
            return farHandle(tenant, far.ask(new TurnCalls.Start(tenant, sessionId, TurnCalls.Wanted.of(request))));
        }
        if (runningInProcess.getAsInt() >= limits().maxRunning()) {
            throw new Overloaded("%d turns run already, as many as may (maxRunning). Try again in a moment."
                    .formatted(limits().maxRunning()));
        }
        agent(request.agent());
        StartTurn.Started started =
                committer().execute(new StartTurn(this, tenant, sessionId, request, parentOf(request)));
        TurnRow row = started.row();
        TurnStatus status = TurnRows.status(sessionId, row);
        StreamEngine.Opened stream = started.stream();
        if (stream == null) {
            if (row.startsAt() > 0) {
                spawn("debounce-" + row.id(), () -> queue.advance(row.sessionKey()));
            }
            return new TurnHandle(status, started.fresh(), rest(row, sessionId));
        }
        CompletableFuture<TurnStatus> rest = attempts.rest(row);
        CommitCallback commit = request.commit() != null ? request.commit() : settings.commit();
        launch(new Run(this, tenant, sessionId, row, stream.writer(), commit));
        return new TurnHandle(status, true, rest);
    }

    /** A turn that another node runs. */
    private TurnHandle farHandle(String tenant, TurnCalls.Accepted accepted) {
        TurnStatus status = accepted.status();
        return new TurnHandle(status, accepted.started(), FarRest.of(this, tenant, status));
    }

    private static @Nullable TurnRow parentOf(TurnRequest request) {
        return request.parent() instanceof RunContext outer ? outer.row() : null;
    }

    private void launch(Run run) {
        boolean stopCameFirst = attempts.begin(run);
        if (draining) {
            run.abandon();
        }
        run.begin();
        if (stopCameFirst) {
            run.stop();
        }
    }

    /** A turn that waited in the queue begins. */
    void launchWaited(
            SessionRow session, TurnRow waited, TurnRow row, StreamWriter writer, @Nullable CommitCallback commit) {
        attempts.continuedAs(waited, row);
        CommitCallback own = commit != null ? commit : settings.commit();
        launch(new Run(this, session.tenant(), session.id(), row, writer, own));
    }

    /** Completes when the turn rests; a turn that is live somewhere gets a future that its end completes. */
    private CompletableFuture<TurnStatus> rest(TurnRow row, String sessionId) {
        TurnRow seen = row;
        while (restless(seen)) {
            CompletableFuture<TurnStatus> rest = attempts.rest(seen);
            TurnRow now = store().read(reads -> reads.turn(row.sessionKey(), row.id()))
                    .orElse(row);
            if (restless(now) && now.epoch() == seen.epoch()) {
                if (draining) {
                    attempts.abandoned(seen);
                }
                return rest;
            }
            if (restless(now)) {
                attempts.continuedAs(seen, now); // it was taken up in between: the future is of its next attempt
            } else {
                attempts.forget(seen, rest); // it rested before its future was known
                rest.complete(TurnRows.status(sessionId, now));
            }
            seen = now;
        }
        return CompletableFuture.completedFuture(TurnRows.status(sessionId, seen));
    }

    static boolean restless(TurnRow row) {
        return row.state() == TurnRow.State.STREAMING || row.state() == TurnRow.State.ACCEPTED;
    }

    StopResult stop(String tenant, String sessionId, String turnId, @Nullable String reason) {
        Far far = streams.far();
        return far != null
                ? far.ask(new TurnCalls.Stop(tenant, sessionId, turnId, reason))
                : stops.stop(tenant, sessionId, turnId, reason);
    }

    int clearQueue(String tenant, String sessionId, @Nullable String reason) {
        Far far = streams.far();
        return far != null
                ? far.ask(new TurnCalls.ClearWaiting(tenant, sessionId, reason))
                : committer().execute(new ClearQueue(this, tenant, sessionId, reason));
    }

    /** The run is over, but the turn is not: an open of the store takes it up. */
    void abandoned(TurnRow attempt) {
        attempts.abandoned(attempt);
    }

    TurnHandle resume(String tenant, String sessionId, String turnId, byte @Nullable [] input) {
        if (draining) {
            throw new Closed("Holdfast is shutting down and resumes no more turns.");
        }
        Far far = streams.far();
        if (far != null) {
            return farHandle(tenant, far.ask(new TurnCalls.Resume(tenant, sessionId, turnId, input)));
        }
        SessionRow session = store().read(reads -> reads.session(tenant, sessionId))
                .orElseThrow(() -> new SessionNotFound(sessionId));
        ReopenTurn.Reopened reopened =
                committer().execute(new ReopenTurn(this, session.key(), turnId, ReopenTurn.Mode.RESUME, input));
        TurnStatus status = TurnRows.status(sessionId, reopened.row());
        return reopened.stream() == null
                ? new TurnHandle(status, false, CompletableFuture.completedFuture(status))
                : new TurnHandle(status, true, launchReopened(reopened));
    }

    /** A turn that waited for someone goes on. Returns what completes when it rests again. */
    CompletableFuture<TurnStatus> launchReopened(ReopenTurn.Reopened reopened) {
        StreamEngine.Opened stream = Objects.requireNonNull(reopened.stream());
        SessionRow session = reopened.session();
        CompletableFuture<TurnStatus> rest = attempts.rest(reopened.row());
        launch(new Run(this, session.tenant(), session.id(), reopened.row(), stream.writer(), settings.commit()));
        return rest;
    }

    /** Takes up the turns that an earlier process left. Returns once each has its thread; they go on by themselves. */
    public void recover() {
        List<TurnRow> lost = new ArrayList<>(); // listed before any of them runs, since a running one may start others
        Set<Long> queues = new LinkedHashSet<>();
        List<TurnRow> page;
        long session = 0;
        String turn = "";
        do {
            long afterSession = session;
            String afterTurn = turn;
            page = store().read(reads -> reads.liveTurns(afterSession, afterTurn, RECOVERY_PAGE));
            for (TurnRow row : page) {
                if (Line.waits(row)) {
                    queues.add(row.sessionKey());
                } else if (row.state() != TurnRow.State.AWAITING || row.stopRequested() || answers.hasKept(row)) {
                    lost.add(row);
                }
                session = row.sessionKey();
                turn = row.id();
            }
        } while (page.size() == RECOVERY_PAGE);
        for (TurnRow row : lost) {
            var unused = attempts.rest(row); // whoever asks from now on waits for it
            spawn("recover-" + row.id(), new Takeover(this, row));
        }
        if (!queues.isEmpty()) {
            spawn("queues", () -> queues.forEach(queue::advance));
        }
    }

    /** A lost turn goes on here. */
    void takenUp(SessionRow session, TurnRow lost, TurnRow row, StreamWriter writer, @Nullable CommitCallback commit) {
        attempts.continuedAs(lost, row);
        launch(new Run(this, session.tenant(), session.id(), row, writer, commit));
    }

    /** A turn emitted something; the one that nests it progresses with it. */
    void progressed(String parent) {
        Run run = attempts.named(parent);
        if (run != null) {
            run.progressed();
        }
    }

    /** Starts no more turns, lets the running ones finish for a while, and leaves the rest to be taken up by the next open. */
    public void drain(Duration grace) {
        drain(List.of(this), grace);
    }

    /** Drains the turns of several shards, all within the same time. */
    static void drain(List<TurnRuntime> runtimes, Duration grace) {
        runtimes.forEach(runtime -> runtime.draining = true);
        try {
            CompletableFuture.allOf(runtimes.stream()
                            .map(runtime -> runtime.attempts.runsRest())
                            .toArray(CompletableFuture[]::new))
                    .get(grace.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException | CancellationException e) {
            LOG.info(
                    "{} turns are left to be taken up again",
                    runtimes.stream().mapToInt(TurnRuntime::running).sum());
        }
        runtimes.forEach(TurnRuntime::leaveRest);
    }

    private void leaveRest() {
        waits.end();
        attempts.runs().forEach(Run::abandon);
        attempts.cancelRests();
    }

    /** Whether a turn has a thread here. */
    public boolean isRunning() {
        return attempts.running() > 0;
    }

    /** Turns of other shards run in this process as well: the limit is of them all. Called before the first turn starts. */
    public void countedWith(IntSupplier all) {
        runningInProcess = all;
    }

    /** How many turns have a thread here. */
    public int running() {
        return attempts.running();
    }

    /** How much is kept in memory of turns: nothing once all rest or went with their sessions, however they were stopped and whoever waited. */
    int held() {
        return attempts.held() + queue.held();
    }

    public boolean draining() {
        return draining;
    }
}
