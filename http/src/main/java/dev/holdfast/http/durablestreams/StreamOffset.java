package dev.holdfast.http.durablestreams;

import dev.holdfast.http.HttpProblem;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;

/**
 * Offsets as the protocol writes them: {@code 0000000000000000_} and the sequence number in sixteen digits, so that they sort as text. The
 * first number is there because clients know its form; it is always zero.
 */
public final class StreamOffset {

    /** {@code -1}: the first position that can be read. */
    static final long START = -1;

    /** {@code now}: the tail at the moment of the request. */
    static final long NOW = -2;

    private static final int DIGITS = 16;

    /** More digits than any position has; a number of so many fits a long. */
    private static final int MAX_DIGITS = 18;

    private static final byte[] ZERO = "0000000000000000_0000000000000000".getBytes(StandardCharsets.US_ASCII);

    private StreamOffset() {}

    /** The offset of a position. */
    public static String of(long seq) {
        byte[] text = ZERO.clone();
        long rest = seq;
        for (int i = text.length - 1; rest > 0 && i > DIGITS; i--) {
            text[i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        return new String(text, StandardCharsets.ISO_8859_1);
    }

    /**
     * The position of an offset, {@link #START} or {@link #NOW}.
     *
     * @throws HttpProblem 400 if it is none
     */
    static long parse(String text) {
        if (text.equals("-1")) {
            return START;
        }
        return text.equals("now") ? NOW : position(text);
    }

    /**
     * The position of an offset that names one.
     *
     * @throws HttpProblem 400 if it is none
     */
    static long position(String text) {
        return find(text)
                .orElseThrow(
                        () -> HttpProblem.badRequest(
                                "This is no offset of a stream. Send one exactly as the server gave it, or -1 for the beginning."));
    }

    /** The position of an offset that names one; empty if it is none. */
    public static OptionalLong find(String text) {
        int underscore = text.indexOf('_');
        long generation = underscore < 0 ? -1 : Numbers.parse(text, 0, underscore, MAX_DIGITS);
        long seq = underscore < 0 ? -1 : Numbers.parse(text, underscore + 1, text.length(), MAX_DIGITS);
        return generation != 0 || seq < 0 ? OptionalLong.empty() : OptionalLong.of(seq);
    }
}
