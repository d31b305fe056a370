package dev.holdfast.store;

/** Writing messages. */
public interface MessageWrites {

    /** Inserts a message; large contents are spilled over as many rows as needed. */
    void insertMessage(MessageRow row, byte[] content);

    /** Replaces a message's row and content. */
    void updateMessage(MessageRow row, byte[] content);

    /** Hangs a message under another parent ({@code 0}: makes it a root). */
    void moveMessage(long sessionKey, long seq, long parentSeq);

    /** Deletes one message and its content. Its children were moved before. */
    void deleteMessage(long sessionKey, long seq);

    /**
     * Deletes messages, newest first, at most {@code limit}.
     *
     * @return how many; less than {@code limit} means that none is left
     */
    int clearMessages(long sessionKey, int limit);
}
