package dev.holdfast.turn;

import dev.holdfast.cluster.Far;
import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.AnswerConflict;
import dev.holdfast.error.HoldfastException.Closed;
import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.Overloaded;
import dev.holdfast.error.HoldfastException.SessionNotFound;
import dev.holdfast.error.HoldfastException.StorePoisoned;
import dev.holdfast.error.HoldfastException.ToolCallNotFound;
import dev.holdfast.error.HoldfastException.TurnConflict;
import dev.holdfast.error.HoldfastException.TurnNotFound;
import dev.holdfast.session.Message;
import dev.holdfast.session.SessionEngine;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.TurnRow;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies answers to turns that wait. The message is edited outside the committer, since its size is not bounded by much, and written if it is
 * still the one that was edited; answers to parallel calls that come at once meet there, and the later one is applied again. Holds no state.
 * Thread-safe.
 */
final class Answers {

    private static final Logger LOG = LoggerFactory.getLogger(Answers.class);

    private final TurnRuntime runtime;

    Answers(TurnRuntime runtime) {
        this.runtime = runtime;
    }

    /** A turn with its message, at one instant. */
    private record Found(SessionRow session, TurnRow row, Optional<Message> message) {}

    AnswerResult answer(String tenant, String sessionId, String turnId, ToolAnswer answer) {
        Far far = runtime.streams().far();
        if (far != null) {
            return far.ask(new TurnCalls.Answer(tenant, sessionId, turnId, answer));
        }
        for (int i = 0; i < TurnLimits.MAX_ANSWER_TRIES; i++) {
            Found found = find(tenant, sessionId, turnId);
            Optional<AnswerResult> result = answer(found, answer, null);
            if (result.isPresent()) {
                return result.get();
            }
        }
        throw new Overloaded(
                "The message of turn \"%s\" changes all the time. Try again in a moment.".formatted(turnId));
    }

    private Found find(String tenant, String sessionId, String turnId) {
        return runtime.store().read(reads -> {
            SessionRow session = reads.session(tenant, sessionId).orElseThrow(() -> new SessionNotFound(sessionId));
            TurnRow row = reads.turn(session.key(), turnId).orElseThrow(() -> new TurnNotFound(sessionId, turnId));
            return new Found(session, row, SessionEngine.message(reads, session, row.messageId()));
        });
    }

    /** Returns empty if the turn moved on meanwhile and must be looked at again. */
    private Optional<AnswerResult> answer(Found found, ToolAnswer answer, @Nullable String keptAs) {
        ToolAnswers port = runtime.settings().answers();
        if (port == null) {
            throw new InvalidArgument(
                    "These turns take no answers: nothing is configured that writes them into messages. Use TurnSettings.withAnswers.");
        }
        ToolAnswers.Applied applied = found.message()
                .map(message -> port.apply(message.content(), answer))
                .orElseGet(ToolAnswers.Applied.Unknown::new);
        return switch (applied) {
            case ToolAnswers.Applied.Same same ->
                Optional.of(new AnswerResult(AnswerResult.Effect.REPEATED, status(found.session(), found.row())));
            case ToolAnswers.Applied.Contradicts no -> throw new AnswerConflict(answer.toolCallId(), no.why());
            case ToolAnswers.Applied.Unknown unknown -> keep(found, answer, unknown);
            case ToolAnswers.Applied.Changed changed ->
                found.row().state() == TurnRow.State.AWAITING
                        ? apply(found, changed, keptAs)
                        : keep(found, answer, changed);
        };
    }

    private Optional<AnswerResult> keep(Found found, ToolAnswer answer, ToolAnswers.Applied applied) {
        TurnRow row = found.row();
        if (row.state() == TurnRow.State.STREAMING) {
            return runtime.committer()
                    .execute(new KeptAnswers.Keep(runtime, row, answer))
                    .map(effect -> new AnswerResult(effect, status(found.session(), row)));
        }
        if (applied instanceof ToolAnswers.Applied.Unknown) {
            throw new ToolCallNotFound(row.id(), answer.toolCallId());
        }
        throw new TurnConflict("Turn \"%s\" waits for nobody: it is %s."
                .formatted(row.id(), row.state().name().toLowerCase(Locale.ROOT)));
    }

    private Optional<AnswerResult> apply(Found found, ToolAnswers.Applied.Changed changed, @Nullable String keptAs) {
        byte[] before = found.message().orElseThrow().content();
        Optional<AnswerTurn.Answered> answered =
                runtime.committer().execute(new AnswerTurn(runtime, found.row(), before, changed, keptAs));
        ReopenTurn.Reopened reopened =
                answered.map(AnswerTurn.Answered::reopened).orElse(null);
        if (reopened != null) {
            var unused = runtime.launchReopened(reopened);
        }
        return answered.map(done -> new AnswerResult(AnswerResult.Effect.APPLIED, status(found.session(), done.row())));
    }

    private static TurnStatus status(SessionRow session, TurnRow row) {
        return TurnRows.status(session.id(), row);
    }

    /** Whether answers were kept for a turn that waits by now. */
    boolean hasKept(TurnRow row) {
        return !kept(row).isEmpty();
    }

    private List<KeptAnswers.Kept> kept(TurnRow row) {
        return runtime.store()
                .read(reads ->
                        KeptAnswers.of(reads, row, runtime.streams().time().wallMillis()));
    }

    /** Applies the answers that came before the turn waited for them. */
    void applyKept(SessionRow session, TurnRow row) {
        Duration pause = TurnLimits.FIRST_COMMIT_BACKOFF;
        while (!runtime.draining()) {
            try {
                List<KeptAnswers.Kept> kept = kept(row);
                if (kept.isEmpty()) {
                    return;
                }
                if (!applyKept(session, row, kept.getFirst())) {
                    return; // it goes on without waiting for more; the next time it waits, they are looked at again
                }
            } catch (StorePoisoned | Closed | SessionNotFound | TurnNotFound e) {
                return; // the next open of the store goes on with them, if they are wanted then
            } catch (HoldfastException e) {
                LOG.warn("A kept answer of turn {} is tried again in {}: {}", row.id(), pause, e.getMessage());
                pause = runtime.waits().pauseAndGrow(pause);
            }
        }
    }

    /** Applies one. Returns false if the turn does not wait any more. */
    private boolean applyKept(SessionRow session, TurnRow row, KeptAnswers.Kept kept) {
        Found found = find(session.tenant(), session.id(), row.id());
        if (found.row().state() != TurnRow.State.AWAITING) {
            return false;
        }
        Optional<AnswerResult> result = Optional.empty();
        try {
            result = answer(found, kept.answer(), kept.property());
            if (result.isEmpty() || result.get().effect() == AnswerResult.Effect.APPLIED) {
                return true;
            }
        } catch (AnswerConflict | ToolCallNotFound | InvalidArgument | TurnConflict e) {
            LOG.info("An answer that came early to turn {} is of no use: {}", row.id(), e.getMessage());
        }
        boolean unused = runtime.committer().execute(KeptAnswers.forget(row, kept.property()));
        return true;
    }
}
