package dev.holdfast.turn;

import dev.holdfast.error.HoldfastException.LimitExceeded;
import dev.holdfast.session.PropertyEngine;
import dev.holdfast.session.PropertyWrite;
import dev.holdfast.store.Command;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.PropertyRow;
import dev.holdfast.store.SessionRow;
import dev.holdfast.stream.Names;
import dev.holdfast.stream.StreamLimits;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the stop of a turn that is not there yet: a client may send its stop before its start has arrived. The start finds it and ends the
 * turn before it begins. It is a property of the session that expires by itself.
 */
final class StopAhead extends Command<Boolean> {

    private static final String PREFIX = TurnRows.PROPERTIES + "stop/";

    /** A stop that waits for its turn. */
    record Kept(String property, @Nullable String reason) {
        void forget(CommitScope scope, SessionRow session) {
            scope.writes().deleteProperty(owner(session).encoded(), property);
        }
    }

    private final TurnRuntime runtime;
    private final String tenant;
    private final String sessionId;
    private final String turnId;
    private final @Nullable String reason;

    StopAhead(TurnRuntime runtime, String tenant, String sessionId, String turnId, @Nullable String reason) {
        this.runtime = runtime;
        this.tenant = tenant;
        this.sessionId = sessionId;
        this.turnId = turnId;
        this.reason = reason;
    }

    static Optional<Kept> find(CommitScope scope, SessionRow session, String turnId) {
        String name = PREFIX + TurnRows.hash(turnId);
        return PropertyEngine.find(scope.reads(), owner(session), name, scope.now())
                .map(row -> {
                    String text = new String(row.value(), StandardCharsets.UTF_8);
                    return new Kept(name, text.isEmpty() ? null : text);
                });
    }

    private static PropertyRow.Owner owner(SessionRow session) {
        return new PropertyRow.Owner.Session(session.key());
    }

    /** Returns false if the turn is there by now and is to be stopped as any other. */
    @Override
    protected Boolean decide(CommitScope scope) {
        SessionRow session = runtime.sessions().require(scope, tenant, sessionId);
        if (scope.reads().turn(session.key(), turnId).isPresent()) {
            return false;
        }
        int most = TurnLimits.MAX_STOPS_AHEAD;
        long kept = scope.reads().properties(owner(session).encoded(), PREFIX, "", most).stream()
                .filter(row -> row.expiresAt() > scope.now())
                .count();
        if (kept >= most && find(scope, session, turnId).isEmpty()) {
            throw new LimitExceeded(
                    "MAX_STOPS_AHEAD (of a session)", most, kept + 1, "stop turns that were started, by their ids");
        }
        String text = reason == null ? "" : Names.shortened(reason, StreamLimits.MAX_REASON_BYTES);
        runtime.sessions()
                .properties()
                .put(
                        scope,
                        owner(session),
                        PropertyWrite.of(PREFIX + TurnRows.hash(turnId), text)
                                .expiresAfter(TurnLimits.STOP_AHEAD_LIFE));
        return true;
    }
}
