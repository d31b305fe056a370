package dev.holdfast.store;

import java.util.List;

/**
 * Asks for messages that have each of these words, and for each of the beginnings a word that begins with it.
 *
 * @param tenant whose sessions
 * @param words whole words; with {@code beginnings} at least one
 * @param beginnings beginnings of words
 * @param before only what is found at lower positions; {@code Long.MAX_VALUE} for all
 * @param limit how many at most
 */
public record WordQuery(String tenant, List<String> words, List<String> beginnings, long before, int limit) {

    /** Messages of one millisecond that a store tells apart: a position is the time of the message times this, and a number. */
    public static final long POSITIONS_PER_MILLI = 1 << 20;

    /**
     * A message that was found.
     *
     * @param position where in the order of the store: those of younger messages are higher, and no two are the same
     */
    public record Found(long position, long sessionKey, long seq) {}
}
