package dev.holdfast.client.message;

import java.util.Objects;

/**
 * Durable proof that a turn was accepted: it and its message are on disk. Immutable.
 *
 * @param messageId the message that the turn writes
 * @param started whether this command started it; false if it was there
 */
public record Receipt(String session, String turn, TurnState state, String messageId, boolean started) {

    public Receipt {
        Objects.requireNonNull(session, "session");
        Objects.requireNonNull(turn, "turn");
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(messageId, "messageId");
    }
}
