package dev.holdfast.turn;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.Closed;
import dev.holdfast.error.HoldfastException.CursorTooOld;
import dev.holdfast.error.HoldfastException.LimitExceeded;
import dev.holdfast.error.HoldfastException.StoreDamaged;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.session.Message;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.TurnRow;
import dev.holdfast.stream.CommitCallback;
import dev.holdfast.stream.StreamWriter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cuts turns over: assembles the message of a turn's chunks, commits it with the outcome, and tells who waits and what waits. Holds no state.
 * Thread-safe.
 */
final class Endings {

    private static final Logger LOG = LoggerFactory.getLogger(Endings.class);

    private final TurnRuntime runtime;
    private final Attempts attempts;

    Endings(TurnRuntime runtime, Attempts attempts) {
        this.runtime = runtime;
        this.attempts = attempts;
    }

    /**
     * Assembles the message and cuts the turn over.
     *
     * @return empty if the turn is decided; otherwise the ending to try instead
     */
    Optional<Ending> cutOver(
            String sessionId,
            TurnRow row,
            Ending ending,
            @Nullable StreamWriter writer,
            @Nullable CommitCallback commit) {
        FinishTurn.Cut cut = cut(row, ending, writer);
        FinishTurn.Decision decision;
        try {
            decision = runtime.committer().execute(new FinishTurn(runtime, sessionId, row, cut, commit));
        } catch (LimitExceeded e) {
            LOG.error("The message of turn {} is too large; its stream is kept: {}", row.id(), e.getMessage());
            FinishTurn.Cut kept = withoutMessage(ending, String.valueOf(e.getMessage()), cut.tail(), true);
            decision = runtime.committer().execute(new FinishTurn(runtime, sessionId, row, kept, commit));
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
                return withoutMessage(ending, "Its stream was deleted before it ended", tail, false);
            } catch (CursorTooOld | StoreDamaged e) { // the same however often it is tried
                LOG.error("The chunks of turn {} cannot be read; its stream is kept: {}", row.id(), e.getMessage());
                return withoutMessage(ending, "Its chunks could not be read: " + e.getMessage(), tail, true);
            }
        }
        byte[] before = new TurnSession(runtime.sessions(), row)
                .written()
                .map(Message::content)
                .orElse(null);
        MessageAssembler.Assembly assembly = new MessageAssembler.Assembly(
                row.messageId(), before, chunks, ending.end(), ending.reason().isEmpty() ? null : ending.reason());
        try {
            return new FinishTurn.Cut(ending, runtime.settings().assembler().assemble(assembly), tail, false);
        } catch (RuntimeException e) {
            LOG.error("No message can be made of the chunks of turn {}; its stream is kept", row.id(), e);
            return withoutMessage(ending, "No message could be made of the answer: " + e, tail, true);
        }
    }

    private static FinishTurn.Cut withoutMessage(Ending ending, String problem, long tail, boolean keepStream) {
        Ending instead = ending instanceof Ending.Stopped ? ending : new Ending.Failed(problem);
        return new FinishTurn.Cut(instead, Optional.empty(), tail, keepStream);
    }

    /** Ends a turn that waits for someone and was stopped: it has no thread here. */
    void endParked(String sessionId, TurnRow row) {
        Ending ending = row.stopRequested()
                ? new Ending.Stopped(row.error() == null ? "" : row.error())
                : new Ending.Interrupted(row.error() == null ? "The process that ran it was lost" : row.error());
        endWithoutAgent(sessionId, row, ending, null, runtime.settings().commit());
    }

    /** Ends a turn with what it had, however often the commit fails, until the process ends. */
    void endWithoutAgent(
            String sessionId,
            TurnRow row,
            Ending first,
            @Nullable StreamWriter writer,
            @Nullable CommitCallback commit) {
        Ending ending = first;
        Duration pause = TurnLimits.FIRST_COMMIT_BACKOFF;
        while (!runtime.draining()) {
            try {
                Optional<Ending> instead = cutOver(sessionId, row, ending, writer, commit);
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
            pause = runtime.waits().pauseAndGrow(pause);
        }
        attempts.abandoned(row);
    }

    /** The attempt is over: tells who waits for it, and lets the next turn start if the session is free. */
    void ended(TurnRow attempt, TurnRow now) {
        Optional<SessionRow> session = runtime.store().read(reads -> reads.session(now.sessionKey()));
        attempts.ended(attempt, TurnRows.status(session.map(SessionRow::id).orElse(""), now));
        if (now.state() == TurnRow.State.AWAITING && session.isPresent()) {
            runtime.answers().applyKept(session.get(), now);
        } else if (now.parentTurn() == null && now.state().isOutcome()) {
            runtime.queue().advance(now.sessionKey());
        }
    }

    /** The run was fenced: someone else decides about the turn. */
    void lost(TurnRow attempt) {
        ended(
                attempt,
                runtime.store()
                        .read(reads -> reads.turn(attempt.sessionKey(), attempt.id()))
                        .orElse(attempt));
    }
}
