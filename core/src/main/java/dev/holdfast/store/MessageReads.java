package dev.holdfast.store;

import java.util.List;
import java.util.Optional;

/** Reading messages. */
public interface MessageReads {

    Optional<MessageRow> message(long sessionKey, String id);

    Optional<MessageRow> message(long sessionKey, long seq);

    /** The message with the highest {@code seq}, which is always a leaf. */
    Optional<MessageRow> activeLeaf(long sessionKey);

    /** The messages directly under this one ({@code parentSeq} 0: the roots), by {@code seq}. */
    List<MessageRow> children(long sessionKey, long parentSeq, int limit);

    /**
     * The path from a message towards its root: the message itself first, at most {@code limit} rows. Call again with the last row's
     * {@code parentSeq} for more.
     */
    List<MessageRow> ancestors(long sessionKey, long seq, int limit);

    /**
     * A message's content.
     *
     * @throws dev.holdfast.error.HoldfastException.StoreDamaged if a piece of it is missing
     */
    byte[] messageContent(long sessionKey, long seq);

    /** How many messages the session holds, over all branches. */
    long messageCount(long sessionKey);
}
