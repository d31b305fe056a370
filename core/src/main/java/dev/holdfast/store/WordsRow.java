package dev.holdfast.store;

/**
 * The words by which a message is found.
 *
 * @param sessionKey the message's session
 * @param seq the message's number
 * @param createdAt wall clock, ms, of the message; younger messages are found first
 * @param words each one once, with a single space between two; letters and digits only
 */
public record WordsRow(long sessionKey, long seq, long createdAt, String words) {}
