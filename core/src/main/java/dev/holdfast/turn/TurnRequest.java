package dev.holdfast.turn;

import dev.holdfast.session.MessageDraft;
import dev.holdfast.stream.CommitCallback;
import org.jspecify.annotations.Nullable;

/**
 * What a turn is started with.
 *
 * @param id the idempotency key, unique within the session, at most 256 bytes: the same key attaches to the turn it started
 * @param agent the name of a registered agent
 * @param message the message to answer, written in the same commit that accepts the turn; or null to answer the active leaf
 * @param input a payload for the agent, opaque, at most {@value TurnLimits#MAX_INPUT_BYTES} bytes
 * @param messageId the id of the message that the turn writes, or null for a generated one
 * @param parent the turn that nests this one, or null; a nested turn keeps its stream until its parent ends, and may run beside it
 * @param commit the application's own writes in the transaction that ends the turn, or null. It is not stored: a turn that is taken up
 *     again after a crash uses the callback that {@link TurnSettings} names for all turns
 */
@SuppressWarnings("ArrayRecordComponent") // opaque bytes, handed through
public record TurnRequest(
        String id,
        String agent,
        @Nullable MessageDraft message,
        byte[] input,
        @Nullable String messageId,
        @Nullable TurnContext parent,
        @Nullable CommitCallback commit) {

    private static final byte[] NO_INPUT = new byte[0];

    /** A turn that answers this message. */
    public static TurnRequest answer(String id, String agent, MessageDraft message) {
        return new TurnRequest(id, agent, message, NO_INPUT, null, null, null);
    }

    /** A turn that answers the active leaf. */
    public static TurnRequest of(String id, String agent) {
        return new TurnRequest(id, agent, null, NO_INPUT, null, null, null);
    }

    public TurnRequest withInput(byte[] payload) {
        return new TurnRequest(id, agent, message, payload, messageId, parent, commit);
    }

    public TurnRequest writing(String answerId) {
        return new TurnRequest(id, agent, message, input, answerId, parent, commit);
    }

    public TurnRequest nestedIn(TurnContext outer) {
        return new TurnRequest(id, agent, message, input, messageId, outer, commit);
    }

    public TurnRequest committing(CommitCallback callback) {
        return new TurnRequest(id, agent, message, input, messageId, parent, callback);
    }
}
