package dev.holdfast.store;

/** Writing sessions and their feeds. */
public interface SessionWrites {

    /**
     * Reserves keys for new streams and sessions. Keys are never handed out twice, even after a crash (unused ones are lost).
     *
     * @return the first of {@code count} consecutive keys, at least 1
     */
    long reserveKeys(int count);

    void insertSession(SessionRow row);

    /** Replaces a session's row. A deleted row gives its id free. */
    void updateSession(SessionRow row);

    /**
     * Deletes rows (messages, contents, feed events, turns, properties) of a session, at most {@code limit}.
     *
     * @return how many; less than {@code limit} means that none is left
     */
    int purgeSession(long sessionKey, int limit);

    /** Deletes the session's own row. Its other rows were purged before. */
    void deleteSession(long sessionKey);

    /** Adds an event; its {@code seq} is {@link SessionReads#feedNext}. */
    void appendFeed(FeedRow row);

    /**
     * Deletes the oldest feed events below {@code belowSeq}, at most {@code limit}; never the newest event, which keeps the numbering.
     *
     * @return how many
     */
    int trimFeed(long sessionKey, long belowSeq, int limit);
}
