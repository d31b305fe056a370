package dev.holdfast.turn;

/**
 * What became of an answer, and the turn as it stands after it.
 *
 * @param effect what was done; durable in each case
 * @param turn {@code AWAITING} while other calls wait, {@code STREAMING} once it goes on
 */
public record AnswerResult(Effect effect, TurnStatus turn) {

    /** What was done with the answer. */
    public enum Effect {
        /** It is in the message. */
        APPLIED,
        /** It was given before; nothing was written. */
        REPEATED,
        /** The turn still streams: it is kept and applied as soon as the turn waits for it. */
        KEPT
    }
}
