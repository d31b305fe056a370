package dev.holdfast.turn;

import dev.holdfast.error.HoldfastException.LimitExceeded;
import dev.holdfast.error.HoldfastException.MessageNotFound;
import dev.holdfast.error.HoldfastException.SessionBusy;
import dev.holdfast.error.HoldfastException.TurnConflict;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.session.PreparedMessage;
import dev.holdfast.session.PutResult;
import dev.holdfast.store.Command;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.FeedRow;
import dev.holdfast.store.MessageRow;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.TurnRow;
import dev.holdfast.stream.StreamEngine;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Accepts a turn: the user's message, the turn and, unless it has to wait, its stream in one commit, before anyone is answered. A key that
 * was used before attaches to its turn (SAME-KEY-ATTACHES).
 */
final class StartTurn extends Command<StartTurn.Started> {

    /**
     * The turn as it stands.
     *
     * @param stream its stream, if this command opened it
     * @param fresh whether this command accepted it
     */
    record Started(SessionRow session, TurnRow row, StreamEngine.@Nullable Opened stream, boolean fresh) {}

    private final TurnRuntime runtime;
    private final String tenant;
    private final String sessionId;
    private final TurnRequest request;
    private final byte[] fingerprint;
    private final @Nullable TurnRow parent;
    private final @Nullable PreparedMessage message;

    StartTurn(TurnRuntime runtime, String tenant, String sessionId, TurnRequest request, @Nullable TurnRow parent) {
        this.runtime = runtime;
        this.tenant = tenant;
        this.sessionId = sessionId;
        this.request = request;
        this.parent = parent;
        this.fingerprint = TurnRows.fingerprint(request);
        MessageDraft draft = request.message();
        this.message = draft == null ? null : runtime.sessions().prepare(sessionId, draft.inTurn(request.id()));
    }

    @Override
    protected int payloadBytes() {
        return request.input().length + (message == null ? 0 : message.bytes());
    }

    @Override
    protected Started decide(CommitScope scope) {
        SessionRow session = runtime.sessions().require(scope, tenant, sessionId);
        Optional<TurnRow> known = scope.reads().turn(session.key(), request.id());
        if (known.isPresent()) {
            return attach(session, known.get());
        }
        checkAnswerId(scope, session);
        Optional<StopAhead.Kept> stop = StopAhead.find(scope, session, request.id());
        if (stop.isPresent()) {
            return acceptStopped(scope, session, stop.get());
        }
        return parent == null ? acceptInLine(scope, session) : acceptNested(scope, session, parent);
    }

    private Started attach(SessionRow session, TurnRow known) {
        if (!Arrays.equals(known.fingerprint(), fingerprint)) {
            throw new TurnConflict(("Turn \"%s\" of session \"%s\" was started with another payload. "
                            + "Use a new key for a new turn, or repeat the first payload.")
                    .formatted(request.id(), sessionId));
        }
        return new Started(session, known, null, false);
    }

    private void checkAnswerId(CommitScope scope, SessionRow session) {
        String writes = request.messageId();
        boolean overwrites = request.message() != null && request.message().id().equals(writes);
        if (writes != null
                && (overwrites || scope.reads().message(session.key(), writes).isPresent())) {
            throw new TurnConflict("Session \"%s\" already has the message \"%s\". Let the turn write a new one."
                    .formatted(sessionId, writes));
        }
    }

    private Started acceptNested(CommitScope scope, SessionRow session, TurnRow outer) {
        Optional<TurnRow> now = TurnRows.live(scope.reads(), outer.sessionKey(), outer.id());
        if (now.isEmpty() || now.get().epoch() != outer.epoch()) {
            throw new TurnConflict("The turn that would nest \"%s\" is over.".formatted(request.id()));
        }
        long nested = scope.reads().liveTurns(session.key()).stream()
                .filter(turn -> turn.parentTurn() != null)
                .count();
        int most = runtime.limits().maxNested();
        if (nested >= most) {
            throw new LimitExceeded("maxNested (turns of a session)", most, nested + 1, "let some of them end first");
        }
        return start(scope, session, row(scope, session, question(scope, session), scope.now()));
    }

    /** Starts the turn if nothing is before it; otherwise it waits, unless its policy says otherwise. */
    private Started acceptInLine(CommitScope scope, SessionRow session) {
        List<TurnRow> line = Line.of(scope.reads(), session.key());
        Submit submit = request.again() == null ? request.submit() : Submit.queue();
        if (submit instanceof Submit.Drop && !line.isEmpty()) {
            throw new SessionBusy(sessionId, line.getFirst().id());
        }
        List<TurnRow> replaced = submit.replaces() ? Line.replaceable(line) : List.of();
        List<TurnRow> before =
                line.stream().filter(turn -> !replaced.contains(turn)).toList();
        long startsAt = submit instanceof Submit.Debounce debounce
                ? scope.now() + debounce.window().toMillis()
                : 0;
        boolean waits = startsAt > 0 || !before.isEmpty();
        if (waits) {
            checkRoom(before);
        }
        long createdAt = line.isEmpty()
                ? scope.now()
                : Math.max(scope.now(), line.getLast().createdAt() + 1);
        String question = before.isEmpty()
                ? question(scope, session)
                : Line.putQuestion(runtime.sessions(), scope, session, before.getLast(), this::question, message);
        String reason = submit instanceof Submit.Merge
                ? "merged into turn \"%s\"".formatted(request.id())
                : "superseded by turn \"%s\"".formatted(request.id());
        replaced.forEach(turn -> runtime.queue().endWaiting(scope, session, turn, reason));
        TurnRow row = row(scope, session, question, createdAt);
        return waits
                ? enqueue(scope, session, TurnRows.edit(row).startsAt(startsAt).row())
                : start(scope, session, row);
    }

    private void checkRoom(List<TurnRow> before) {
        long waiting = before.stream()
                .filter(turn -> turn.state() == TurnRow.State.ACCEPTED)
                .count();
        int most = runtime.limits().maxWaiting();
        if (waiting >= most) {
            throw new LimitExceeded(
                    "maxWaiting (turns of a session)", most, waiting + 1, "wait until some of them have run");
        }
    }

    /** Writes the message to be answered, or finds it. Returns its id, or null in an empty session. */
    private @Nullable String question(CommitScope scope, SessionRow session) {
        if (message != null) {
            PutResult put = runtime.sessions().put(scope, session, message);
            return put.messageId();
        }
        String again = request.again();
        if (again != null) {
            return answeredBy(scope, session, again);
        }
        if (parent != null && parent.sessionKey() == session.key()) {
            return parent.userMessageId();
        }
        return scope.reads().activeLeaf(session.key()).map(MessageRow::id).orElse(null);
    }

    /** The message that an answer belongs to; or the message itself if it is no answer. */
    private @Nullable String answeredBy(CommitScope scope, SessionRow session, String id) {
        Optional<MessageRow> found = scope.reads().message(session.key(), id);
        if (found.isPresent() && !found.get().role().equals(TurnRows.ANSWER_ROLE)) {
            return id;
        }
        if (found.isPresent()) {
            return scope.reads()
                    .message(session.key(), found.get().parentSeq())
                    .map(MessageRow::id)
                    .orElse(null);
        }
        return Line.of(scope.reads(), session.key()).stream()
                .filter(turn -> turn.messageId().equals(id))
                .findFirst()
                .orElseThrow(() -> new MessageNotFound(sessionId, id))
                .userMessageId();
    }

    /** A row that waits. */
    private TurnRow row(CommitScope scope, SessionRow session, @Nullable String question, long createdAt) {
        return new TurnRow(
                session.key(),
                request.id(),
                TurnRow.State.ACCEPTED,
                request.agent(),
                fingerprint,
                request.input(),
                question,
                request.messageId() != null ? request.messageId() : runtime.newId("msg"),
                0,
                null,
                parent == null ? null : TurnRows.parentName(parent),
                0,
                0,
                0,
                false,
                null,
                createdAt,
                scope.now(),
                0,
                request.again() == null ? TurnRow.Kind.SUBMIT : TurnRow.Kind.REGENERATE,
                0,
                0);
    }

    private Started enqueue(CommitScope scope, SessionRow session, TurnRow row) {
        scope.writes().insertTurn(row);
        runtime.sessions().feed(scope, session, FeedRow.Kind.TURN_STARTED, row.messageId(), row.id(), null);
        runtime.queue().keep(scope, row, request.commit());
        return new Started(session, row, null, true);
    }

    private Started start(CommitScope scope, SessionRow session, TurnRow accepted) {
        StreamEngine.Opened stream = TurnRows.openStream(runtime.streams(), scope, session, accepted);
        TurnRow row = TurnRows.started(accepted, stream, scope.now());
        scope.writes().insertTurn(row);
        runtime.sessions().feed(scope, session, FeedRow.Kind.TURN_STARTED, row.messageId(), row.id(), row.streamName());
        return new Started(session, row, stream, true);
    }

    /** Its stop came first: the message is kept, and the turn ends before it begins. */
    private Started acceptStopped(CommitScope scope, SessionRow session, StopAhead.Kept stop) {
        TurnRow row = row(scope, session, question(scope, session), scope.now());
        scope.writes().insertTurn(row);
        runtime.sessions().feed(scope, session, FeedRow.Kind.TURN_STARTED, row.messageId(), row.id(), null);
        TurnRow ended = Line.end(runtime.sessions(), scope, session, row, stop.reason());
        stop.forget(scope, session);
        return new Started(session, ended, null, true);
    }
}
