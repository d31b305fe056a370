package dev.holdfast.session;

/**
 * What writing a message did.
 *
 * @param messageId its id
 * @param change what was written
 * @param seq its number within the session; the message with the highest one is the active leaf
 */
public record PutResult(String messageId, Change change, long seq) {

    /** What was written. */
    public enum Change {
        INSERTED,
        UPDATED,
        /** The message was there already: nothing was written, and the feed has no event of it. */
        UNCHANGED
    }

    public boolean inserted() {
        return change == Change.INSERTED;
    }

    public boolean updated() {
        return change == Change.UPDATED;
    }

    public boolean unchanged() {
        return change == Change.UNCHANGED;
    }
}
