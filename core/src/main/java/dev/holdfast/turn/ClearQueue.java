package dev.holdfast.turn;

import dev.holdfast.store.Command;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.SessionRow;
import org.jspecify.annotations.Nullable;

/** Ends all turns of a session that wait, in one commit: what is queued after it is of another generation. */
final class ClearQueue extends Command<Integer> {

    private final TurnRuntime runtime;
    private final String tenant;
    private final String sessionId;
    private final @Nullable String reason;

    ClearQueue(TurnRuntime runtime, String tenant, String sessionId, @Nullable String reason) {
        this.runtime = runtime;
        this.tenant = tenant;
        this.sessionId = sessionId;
        this.reason = reason;
    }

    @Override
    protected boolean freesSpace() {
        return true;
    }

    @Override
    protected Integer decide(CommitScope scope) {
        SessionRow session = runtime.sessions().require(scope, tenant, sessionId);
        return runtime.queue().clear(scope, session, reason == null ? "the queue was cleared" : reason);
    }
}
