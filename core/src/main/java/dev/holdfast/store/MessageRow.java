package dev.holdfast.store;

/**
 * A message's place in its session's tree, without its content.
 *
 * @param sessionKey the session
 * @param seq growing within the session, from 1; the message with the highest one is the active leaf
 * @param id unique within the session
 * @param parentSeq {@code seq} of the parent, or 0 for a root
 * @param role such as {@code user} or {@code assistant}
 * @param bytes size of the content
 * @param createdAt wall clock, ms
 * @param updatedAt wall clock, ms
 */
public record MessageRow(
        long sessionKey,
        long seq,
        String id,
        long parentSeq,
        String role,
        long bytes,
        long createdAt,
        long updatedAt) {}
