package dev.holdfast.turn;

import dev.holdfast.session.MessageDraft;
import dev.holdfast.stream.CommitCallback;
import org.jspecify.annotations.Nullable;

/**
 * What a turn is started with.
 *
 * @param id the idempotency key, unique within the session, at most 256 bytes: the same key attaches to the turn it started
 * @param agent the name of a registered agent
 * @param message the message to answer, written in the same commit that accepts the turn; or null to answer one that is there
 * @param again the message whose answer is written anew, or null to answer {@code message} or the active leaf
 * @param input a payload for the agent, opaque, at most {@value TurnLimits#MAX_INPUT_BYTES} bytes
 * @param messageId the id of the message that the turn writes, or null for a generated one
 * @param submit what happens while the session is busy; of no meaning for a turn that regenerates (it queues) or is nested (it starts)
 * @param parent the turn that nests this one, or null; a nested turn keeps its stream until its parent ends, and may run beside it
 * @param commit the application's own writes in the transaction that ends the turn, or null. It is not stored: a turn that is taken up
 *     again after a crash, or waited while the process ended, uses the callback that {@link TurnSettings} names for all turns
 */
@SuppressWarnings("ArrayRecordComponent") // opaque bytes, handed through
public record TurnRequest(
        String id,
        String agent,
        @Nullable MessageDraft message,
        @Nullable String again,
        byte[] input,
        @Nullable String messageId,
        Submit submit,
        @Nullable TurnContext parent,
        @Nullable CommitCallback commit) {

    private static final byte[] NO_INPUT = new byte[0];

    /**
     * A turn that answers this message. {@link MessageDraft#beside} makes it an edited version of an earlier one: it and its answer are a
     * branch beside that one.
     */
    public static TurnRequest answer(String id, String agent, MessageDraft message) {
        return new TurnRequest(id, agent, message, null, NO_INPUT, null, Submit.queue(), null, null);
    }

    /** A turn that answers the message that is the active leaf when it is accepted. */
    public static TurnRequest of(String id, String agent) {
        return new TurnRequest(id, agent, null, null, NO_INPUT, null, Submit.queue(), null, null);
    }

    /**
     * A turn that answers once more: its message becomes a branch beside the earlier answer.
     *
     * @param message the answer to write anew (also one whose turn is not over yet), or the message to answer again
     */
    public static TurnRequest regenerate(String id, String agent, String message) {
        return new TurnRequest(id, agent, null, message, NO_INPUT, null, Submit.queue(), null, null);
    }

    public TurnRequest withInput(byte[] payload) {
        return new TurnRequest(id, agent, message, again, payload, messageId, submit, parent, commit);
    }

    public TurnRequest writing(String answerId) {
        return new TurnRequest(id, agent, message, again, input, answerId, submit, parent, commit);
    }

    public TurnRequest when(Submit busy) {
        return new TurnRequest(id, agent, message, again, input, messageId, busy, parent, commit);
    }

    public TurnRequest nestedIn(TurnContext outer) {
        return new TurnRequest(id, agent, message, again, input, messageId, submit, outer, commit);
    }

    public TurnRequest committing(CommitCallback callback) {
        return new TurnRequest(id, agent, message, again, input, messageId, submit, parent, callback);
    }
}
