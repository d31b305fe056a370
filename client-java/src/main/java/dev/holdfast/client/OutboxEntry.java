package dev.holdfast.client;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.holdfast.client.message.ClientMessage;
import dev.holdfast.client.message.TurnDraft;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A turn on its way to the server. Immutable. Its draft has a key, so that however often it is sent, it is started once.
 *
 * @param id the id of its command, the same in each repetition
 * @param interrupting whether the turn that runs is stopped
 * @param session null for a session of its own, which the server makes
 * @param create whether the session is made if it is missing
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record OutboxEntry(
        String id, boolean interrupting, @Nullable String session, boolean create, TurnDraft turn) {

    public OutboxEntry {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(turn, "turn");
        Objects.requireNonNull(turn.key(), "the turn's key");
    }

    ClientMessage command() {
        Boolean creating = create ? Boolean.TRUE : null;
        return interrupting
                ? new ClientMessage.Interrupt(id, session, creating, turn)
                : new ClientMessage.Send(id, session, creating, turn);
    }
}
