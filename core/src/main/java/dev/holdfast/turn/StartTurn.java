package dev.holdfast.turn;

import dev.holdfast.error.HoldfastException.TurnConflict;
import dev.holdfast.session.PutResult;
import dev.holdfast.store.Command;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.FeedRow;
import dev.holdfast.store.MessageRow;
import dev.holdfast.store.SessionRow;
import dev.holdfast.store.TurnRow;
import dev.holdfast.stream.StreamEngine;
import dev.holdfast.stream.StreamOptions;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Accepts a turn: the user's message, the turn and its stream in one commit, before anyone is answered. A key that was used before attaches
 * to its turn (SAME-KEY-ATTACHES).
 */
final class StartTurn extends Command<StartTurn.Started> {

    /** The turn, and its stream if this command opened it. */
    record Started(SessionRow session, TurnRow row, StreamEngine.@Nullable Opened stream) {}

    private final TurnRuntime runtime;
    private final String tenant;
    private final String sessionId;
    private final TurnRequest request;
    private final byte[] fingerprint;
    private final @Nullable TurnRow parent;

    StartTurn(TurnRuntime runtime, String tenant, String sessionId, TurnRequest request, @Nullable TurnRow parent) {
        this.runtime = runtime;
        this.tenant = tenant;
        this.sessionId = sessionId;
        this.request = request;
        this.parent = parent;
        this.fingerprint = TurnRows.fingerprint(request);
    }

    @Override
    protected int payloadBytes() {
        return request.input().length
                + (request.message() == null ? 0 : request.message().content().length);
    }

    @Override
    protected Started decide(CommitScope scope) {
        SessionRow session = runtime.sessions().require(scope, tenant, sessionId);
        Optional<TurnRow> known = scope.reads().turn(session.key(), request.id());
        if (known.isPresent()) {
            if (!Arrays.equals(known.get().fingerprint(), fingerprint)) {
                throw new TurnConflict(("Turn \"%s\" of session \"%s\" was started with another payload. "
                                + "Use a new key for a new turn, or repeat the first payload.")
                        .formatted(request.id(), sessionId));
            }
            return new Started(session, known.get(), null);
        }
        checkFree(scope, session);
        checkParent(scope);
        String writes = request.messageId();
        boolean overwrites = request.message() != null && request.message().id().equals(writes);
        if (writes != null
                && (overwrites || scope.reads().message(session.key(), writes).isPresent())) {
            throw new TurnConflict("Session \"%s\" already has the message \"%s\". Let the turn write a new one."
                    .formatted(sessionId, writes));
        }
        return accept(scope, session);
    }

    private void checkFree(CommitScope scope, SessionRow session) {
        if (parent != null) {
            return;
        }
        List<TurnRow> live = scope.reads().liveTurns(session.key()).stream()
                .filter(turn -> turn.parentTurn() == null)
                .toList();
        if (!live.isEmpty()) {
            throw new TurnConflict(
                    "Session \"%s\" is busy with turn \"%s\". Wait for its end, stop it, or answer what it waits for."
                            .formatted(sessionId, live.getFirst().id()));
        }
    }

    private void checkParent(CommitScope scope) {
        if (parent == null) {
            return;
        }
        Optional<TurnRow> now = TurnRows.live(scope.reads(), parent.sessionKey(), parent.id());
        if (now.isEmpty() || now.get().epoch() != parent.epoch()) {
            throw new TurnConflict("The turn that would nest \"%s\" is over.".formatted(request.id()));
        }
    }

    private Started accept(CommitScope scope, SessionRow session) {
        String answers;
        if (request.message() != null) {
            PutResult put =
                    runtime.sessions().put(scope, session, request.message().inTurn(request.id()));
            answers = put.messageId();
        } else {
            answers =
                    scope.reads().activeLeaf(session.key()).map(MessageRow::id).orElse(null);
        }
        String streamName = TurnRows.streamName(session.key(), request.id());
        StreamOptions options = StreamOptions.DEFAULTS.withContentType(TurnRuntime.STREAM_CONTENT_TYPE);
        if (parent != null) {
            options = options.withTag(TurnRows.nestedTag(TurnRows.parentName(parent)));
        }
        StreamEngine.Opened stream = runtime.streams().open(scope, tenant, streamName, options, session.key(), true);
        TurnRow row = new TurnRow(
                session.key(),
                request.id(),
                TurnRow.State.STREAMING,
                request.agent(),
                fingerprint,
                request.input(),
                answers,
                request.messageId() != null ? request.messageId() : runtime.newId("msg"),
                stream.key(),
                streamName,
                parent == null ? null : TurnRows.parentName(parent),
                1,
                1,
                0,
                false,
                null,
                scope.now(),
                scope.now(),
                0);
        scope.writes().insertTurn(row);
        runtime.sessions().feed(scope, session, FeedRow.Kind.TURN_STARTED, row.messageId(), row.id(), streamName);
        return new Started(session, row, stream);
    }
}
