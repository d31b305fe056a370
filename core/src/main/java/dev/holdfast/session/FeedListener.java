package dev.holdfast.session;

/**
 * Is told what happens in a session. Called after the commit, in order, once for each event, one call at a time, on a thread of Holdfast's
 * that may block. What it throws is logged and disturbs nobody; the next event follows.
 */
@FunctionalInterface
public interface FeedListener {

    void event(FeedEvent event);

    /**
     * The listener fell behind by more than the feed retains. The next event is {@code to}.
     *
     * @param from number of the first event it did not get
     * @param to number of the event after the last it did not get
     */
    default void missed(long from, long to) {}

    /** The session was deleted; nothing follows. */
    default void gone() {}
}
