package dev.holdfast.uimessage;

/** The limits of this module. */
public final class UiLimits {

    /** How deep the JSON of a chunk or a message may nest. */
    public static final int MAX_NESTING_DEPTH = 256;

    /** Longest JSON text of one chunk, in bytes. Streams have a lower limit by default. */
    public static final int MAX_CHUNK_BYTES = 16 << 20;

    /** Longest JSON text of one message, in bytes. */
    public static final int MAX_MESSAGE_BYTES = 256 << 20;

    /** Compaction merges deltas until the merged text has this many characters; then it begins another, unless that cuts a code point. */
    public static final int MAX_MERGED_CHARS = 1 << 18;

    /** How much of a step compaction holds back, in bytes of its chunks, to leave it out if it was redone. */
    public static final int MAX_HELD_STEP_BYTES = 8 << 20;

    /** Longest {@code data:} URL of a file that stays in its message when that is written; longer ones become attachments. */
    public static final int MAX_INLINE_CHARS = 4096;

    private UiLimits() {}
}
