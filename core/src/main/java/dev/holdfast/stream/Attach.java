package dev.holdfast.stream;

/** The named answer to a cursor (EXPLICIT-CURSOR): never a silent wait, never a silent gap. */
public sealed interface Attach {

    /** The cursor stands; the reader goes on exactly there. Close the reader. */
    record Ok(StreamReader reader) implements Attach {}

    /** The name is now another incarnation; the reader starts at its beginning. Close the reader. */
    record Restarted(StreamReader reader) implements Attach {}

    /**
     * The position was trimmed away.
     *
     * @param first where what is left begins
     */
    record TooOld(Cursor first) implements Attach {}

    /**
     * The position lies beyond the tail.
     *
     * @param tail where the stream ends
     */
    record Ahead(Cursor tail) implements Attach {}

    /** There is no such stream (any more): it ended and was discarded, expired, was deleted, or never was. */
    record Gone() implements Attach {}
}
