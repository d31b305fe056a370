package dev.holdfast.client.message;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A turn without an outcome.
 *
 * @param pending the calls that wait for an answer
 */
public record LiveTurn(String id, TurnState state, String messageId, List<PendingCall> pending) {

    public LiveTurn {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(messageId, "messageId");
        pending = copy(pending);
    }

    private static List<PendingCall> copy(@Nullable List<PendingCall> calls) {
        return calls == null ? List.of() : List.copyOf(calls);
    }
}
