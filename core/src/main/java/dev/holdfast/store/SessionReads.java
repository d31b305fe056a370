package dev.holdfast.store;

import java.util.List;
import java.util.Optional;

/** Reading sessions and their feeds. */
public interface SessionReads {

    /** The session that has this id now; a deleted session has none. */
    Optional<SessionRow> session(String tenant, String id);

    /** The session of this key, a deleted one too. */
    Optional<SessionRow> session(long key);

    /**
     * Sessions that are not deleted, newest activity first by {@code (updatedAt, key)}; those strictly older than the given position.
     *
     * @param beforeUpdatedAt {@code Long.MAX_VALUE} for the first page
     */
    List<SessionRow> sessions(String tenant, long beforeUpdatedAt, long beforeKey, int limit);

    /** Keys of deleted sessions whose rows wait for deletion. */
    List<Long> deletedSessions(int limit);

    /** Feed events with {@code seq >= fromSeq}, in order. */
    List<FeedRow> feed(long sessionKey, long fromSeq, int limit);

    /** The first sequence number the feed still holds; equal to {@link #feedNext} when it is empty. */
    long feedFirst(long sessionKey);

    /** The next sequence number of the feed; 0 for a feed that never held an event. Trimming never lowers it. */
    long feedNext(long sessionKey);
}
