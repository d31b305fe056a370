package dev.holdfast.turn;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.Closed;
import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.LimitExceeded;
import dev.holdfast.error.HoldfastException.Overloaded;
import dev.holdfast.error.HoldfastException.SessionNotFound;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.error.HoldfastException.TurnNotFound;
import dev.holdfast.session.Message;
import dev.holdfast.session.SessionEngine;
import dev.holdfast.store.Committer;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.Store;
import dev.holdfast.store.StoreReads;
import dev.holdfast.store.Timers;
import dev.holdfast.store.TurnRow;
import dev.holdfast.stream.CommitCallback;
import dev.holdfast.stream.StreamEngine;
import dev.holdfast.stream.StreamWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the turns of one store in this process: starts them, stops them, cuts them over, and takes up those that an earlier process lost.
 *
 * <p>For Holdfast's own packages; applications use {@link Turns}. Everything that decides is a command on the committer's thread, checked
 * against the turn's epoch; this class only knows which turns have a thread here. Thread-safe.
 */
public final class TurnRuntime {

    private static final Logger LOG = LoggerFactory.getLogger(TurnRuntime.class);

    static final String STREAM_CONTENT_TYPE = "application/json";

    /** Streams of nested turns discarded at a time with their parent. */
    static final int NESTED_PAGE = 1000;

    private static final int RECOVERY_PAGE = 256;

    private final StreamEngine streams;
    private final SessionEngine sessions;
    private final TurnSettings settings;
    private final Attempts attempts = new Attempts();
    private final CompletableFuture<Void> closing = new CompletableFuture<>();
    private volatile boolean draining;

    public TurnRuntime(StreamEngine streams, SessionEngine sessions, TurnSettings settings) {
        this.streams = streams;
        this.sessions = sessions;
        this.settings = settings;
        sessions.onDeleted(
                key -> Thread.ofVirtual().name("holdfast-deleted-" + key).start(() -> stopAll(key)));
    }

    /** The session is gone, and its turns with it: tells those that run. */
    private void stopAll(long sessionKey) {
        for (Run run : attempts.runs()) {
            if (run.row().sessionKey() == sessionKey) {
                run.stop();
            }
        }
    }

    StreamEngine streams() {
        return streams;
    }

    SessionEngine sessions() {
        return sessions;
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
        if (attempts.running() >= TurnLimits.MAX_RUNNING) {
            throw new Overloaded("%d turns run already. Try again in a moment.".formatted(TurnLimits.MAX_RUNNING));
        }
        agent(request.agent());
        StartTurn.Started started =
                committer().execute(new StartTurn(this, tenant, sessionId, request, parentOf(request)));
        TurnRow row = started.row();
        TurnStatus status = TurnRows.status(sessionId, row);
        if (started.stream() == null) {
            return new TurnHandle(status, false, rest(row, sessionId));
        }
        CompletableFuture<TurnStatus> rest = attempts.rest(row);
        launch(new Run(
                this,
                tenant,
                sessionId,
                row,
                started.stream().writer(),
                request.commit() != null ? request.commit() : settings.commit()));
        return new TurnHandle(status, true, rest);
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

    /** Completes when the turn rests; a turn that is live somewhere gets a future that its end completes. */
    private CompletableFuture<TurnStatus> rest(TurnRow row, String sessionId) {
        TurnRow seen = row;
        while (seen.state() == TurnRow.State.STREAMING) {
            CompletableFuture<TurnStatus> rest = attempts.rest(seen);
            TurnRow now = store().read(reads -> reads.turn(row.sessionKey(), row.id()))
                    .orElse(row);
            if (now.state() == TurnRow.State.STREAMING && now.epoch() == seen.epoch()) {
                if (draining) {
                    attempts.abandoned(seen);
                }
                return rest;
            }
            if (now.state() == TurnRow.State.STREAMING) {
                attempts.continuedAs(seen, now); // it was taken up in between: the future is of its next attempt
            } else {
                attempts.forget(seen, rest); // it rested before its future was known
                rest.complete(TurnRows.status(sessionId, now));
            }
            seen = now;
        }
        return CompletableFuture.completedFuture(TurnRows.status(sessionId, seen));
    }

    StopResult stop(String tenant, String sessionId, String turnId, @Nullable String reason) {
        StopTurn.Stopping stopping = committer().execute(new StopTurn(this, tenant, sessionId, turnId, reason));
        TurnRow row = stopping.row();
        if (stopping.accepted()) {
            if (row.state() == TurnRow.State.AWAITING) {
                Thread.ofVirtual().name("holdfast-stop-" + turnId).start(() -> endParked(sessionId, row));
            } else {
                Run run = attempts.stopped(row);
                if (run != null) {
                    run.stop();
                }
            }
            stopNested(tenant, row, reason);
        }
        return new StopResult(stopping.accepted(), TurnRows.state(row.state()));
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

    /** Ends a turn that has no thread here: one that waits, or one that is not taken up again. */
    private void endParked(String sessionId, TurnRow row) {
        Ending ending = row.stopRequested()
                ? new Ending.Stopped(row.error() == null ? "" : row.error())
                : new Ending.Interrupted(row.error() == null ? "The process that ran it was lost" : row.error());
        endWithoutAgent(sessionId, row, ending, null);
    }

    private void endWithoutAgent(String sessionId, TurnRow row, Ending first, @Nullable StreamWriter writer) {
        Ending ending = first;
        Duration pause = TurnLimits.FIRST_COMMIT_BACKOFF;
        while (!draining) {
            try {
                Optional<Ending> instead = cutOver(row, ending, writer, settings.commit());
                if (instead.isEmpty()) {
                    return;
                }
                ending = instead.get();
                continue;
            } catch (HoldfastException.StorePoisoned | Closed e) {
                break; // the next open takes it up
            } catch (HoldfastException e) {
                LOG.warn(
                        "The end of turn {} of {} could not be committed and is tried again: {}",
                        row.id(),
                        sessionId,
                        e.getMessage());
            }
            pause = pauseAndGrow(pause);
        }
        attempts.abandoned(row);
    }

    /**
     * Assembles the message and cuts the turn over.
     *
     * @return empty if the turn is decided; otherwise the ending to try instead
     */
    Optional<Ending> cutOver(
            TurnRow row, Ending ending, @Nullable StreamWriter writer, @Nullable CommitCallback commit) {
        FinishTurn.Cut cut = cut(row, ending, writer);
        FinishTurn.Decision decision;
        try {
            decision = committer().execute(new FinishTurn(this, row, cut, commit));
        } catch (LimitExceeded e) {
            LOG.error("The message of turn {} is too large; its stream is kept: {}", row.id(), e.getMessage());
            Ending instead =
                    ending instanceof Ending.Stopped ? ending : new Ending.Failed(String.valueOf(e.getMessage()));
            FinishTurn.Cut kept = new FinishTurn.Cut(instead, Optional.empty(), cut.tail(), true);
            decision = committer().execute(new FinishTurn(this, row, kept, commit));
        }
        return switch (decision) {
            case FinishTurn.Decision.Done done -> {
                ended(row, done.row());
                yield Optional.empty();
            }
            case FinishTurn.Decision.StopCameFirst stop -> Optional.of(new Ending.Stopped(stop.reason()));
            case FinishTurn.Decision.ChunksCame again -> Optional.of(ending);
            case FinishTurn.Decision.Lost lost -> {
                ended(row, lost.row().orElse(row));
                yield Optional.empty();
            }
        };
    }

    private FinishTurn.Cut cut(TurnRow row, Ending ending, @Nullable StreamWriter writer) {
        long tail = 0;
        List<byte[]> chunks = List.of();
        if (writer != null) {
            try {
                tail = writer.tail().seq();
                chunks = RunContext.readAll(writer, tail);
            } catch (StreamNotFound e) {
                return new FinishTurn.Cut(
                        ending instanceof Ending.Stopped
                                ? ending
                                : new Ending.Failed("Its stream was deleted before it ended"),
                        Optional.empty(),
                        tail,
                        false);
            }
        }
        byte[] before = written(row).map(Message::content).orElse(null);
        MessageAssembler.Assembly assembly = new MessageAssembler.Assembly(
                row.messageId(), before, chunks, ending.end(), ending.reason().isEmpty() ? null : ending.reason());
        try {
            return new FinishTurn.Cut(ending, settings.assembler().assemble(assembly), tail, false);
        } catch (RuntimeException e) {
            LOG.error("No message can be made of the chunks of turn {}; its stream is kept", row.id(), e);
            return new FinishTurn.Cut(
                    ending instanceof Ending.Stopped
                            ? ending
                            : new Ending.Failed("No message could be made of the answer: " + e),
                    Optional.empty(),
                    tail,
                    true);
        }
    }

    private void ended(TurnRow attempt, TurnRow now) {
        String sessionId = store().read(reads -> reads.session(now.sessionKey()))
                .map(SessionRow::id)
                .orElse("");
        attempts.ended(attempt, TurnRows.status(sessionId, now));
    }

    /** The run was fenced: someone else decides about the turn. */
    void lost(TurnRow attempt) {
        ended(
                attempt,
                store().read(reads -> reads.turn(attempt.sessionKey(), attempt.id()))
                        .orElse(attempt));
    }

    /** The run is over, but the turn is not: an open of the store takes it up. */
    void abandoned(TurnRow attempt) {
        attempts.abandoned(attempt);
    }

    List<Message> history(TurnRow row, long maxBytes) {
        return store().read(reads -> {
            SessionRow session = session(reads, row);
            String leaf = row.userMessageId();
            return leaf == null ? List.of() : sessions.path(reads, session, leaf, maxBytes);
        });
    }

    Optional<Message> written(TurnRow row) {
        return store().read(reads ->
                reads.session(row.sessionKey()).flatMap(session -> sessions.message(reads, session, row.messageId())));
    }

    private static SessionRow session(StoreReads reads, TurnRow row) {
        return reads.session(row.sessionKey()).orElseThrow(() -> new TurnNotFound("#" + row.sessionKey(), row.id()));
    }

    TurnHandle resume(String tenant, String sessionId, String turnId, byte @Nullable [] input) {
        if (draining) {
            throw new Closed("Holdfast is shutting down and resumes no more turns.");
        }
        SessionRow session = store().read(reads -> reads.session(tenant, sessionId))
                .orElseThrow(() -> new SessionNotFound(sessionId));
        ReopenTurn.Reopened reopened =
                committer().execute(new ReopenTurn(this, session.key(), turnId, ReopenTurn.Mode.RESUME, input));
        StreamEngine.Opened stream = reopened.stream();
        TurnStatus status = TurnRows.status(sessionId, reopened.row());
        if (stream == null) {
            return new TurnHandle(status, false, CompletableFuture.completedFuture(status));
        }
        CompletableFuture<TurnStatus> rest = attempts.rest(reopened.row());
        launch(new Run(this, tenant, sessionId, reopened.row(), stream.writer(), settings.commit()));
        return new TurnHandle(status, true, rest);
    }

    /** Takes up the turns that an earlier process left. Returns once each has its thread; they go on by themselves. */
    public void recover() {
        List<TurnRow> lost = new ArrayList<>(); // listed before any of them runs, since a running one may start others
        List<TurnRow> page;
        long session = 0;
        String turn = "";
        do {
            long afterSession = session;
            String afterTurn = turn;
            page = store().read(reads -> reads.liveTurns(afterSession, afterTurn, RECOVERY_PAGE));
            for (TurnRow row : page) {
                if (row.state() != TurnRow.State.AWAITING || row.stopRequested()) {
                    lost.add(row);
                }
                session = row.sessionKey();
                turn = row.id();
            }
        } while (page.size() == RECOVERY_PAGE);
        for (TurnRow row : lost) {
            var unused = attempts.rest(row); // whoever asks from now on waits for it
            Thread.ofVirtual().name("holdfast-recover-" + row.id()).start(new Takeover(this, row));
        }
    }

    /** A lost turn goes on here. */
    void takenUp(SessionRow session, TurnRow lost, TurnRow row, StreamWriter writer) {
        attempts.continuedAs(lost, row);
        launch(new Run(this, session.tenant(), session.id(), row, writer, settings.commit()));
    }

    /** A lost turn does not go on: it ends with what it had. */
    void givenUp(String sessionId, TurnRow row, Ending ending, @Nullable StreamWriter writer) {
        endWithoutAgent(sessionId, row, ending, writer);
    }

    /** Waits, unless the process ends, and returns the next, longer pause. */
    Duration pauseAndGrow(Duration pause) {
        try {
            boolean unused = comesWithin(closing, pause);
        } catch (InterruptedException e) {
            LOG.debug("A pause was cut short", e); // the caller looks whether the process ends
        }
        Duration longer = pause.multipliedBy(2);
        return longer.compareTo(TurnLimits.MAX_COMMIT_BACKOFF) > 0 ? TurnLimits.MAX_COMMIT_BACKOFF : longer;
    }

    /** Waits for it at most so long, by the injected timers, or until the process ends. Returns whether it came. */
    boolean comesWithin(CompletableFuture<?> what, Duration limit) throws InterruptedException {
        if (what.isDone()) {
            return true;
        }
        CompletableFuture<Boolean> late = new CompletableFuture<>();
        Timers.Handle alarm = streams.timers().after(limit, () -> late.complete(true));
        try {
            Object unused = CompletableFuture.anyOf(what, late, closing).get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("Nothing that a turn waits for fails", e);
        } finally {
            alarm.cancel();
        }
        return what.isDone();
    }

    /** Starts no more turns, lets the running ones finish for a while, and leaves the rest to be taken up by the next open. */
    public void drain(Duration grace) {
        draining = true;
        try {
            attempts.allRest().get(grace.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException | CancellationException e) {
            LOG.info("{} turns are left to be taken up again", attempts.running());
        }
        closing.complete(null);
        attempts.runs().forEach(Run::abandon);
        attempts.cancelRests();
    }

    public boolean draining() {
        return draining;
    }
}
