package dev.holdfast.cluster;

import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.LimitExceeded;
import dev.holdfast.store.Varint;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes an encoding from its end to its start. Each value goes behind its length, which is known once the value is written; written
 * backwards, nothing is measured beforehand or copied a second time, however deep it is nested.
 */
final class ValueWriter {

    private static final int FIRST_BYTES = 256;

    private byte[] target = new byte[FIRST_BYTES];
    private int start = FIRST_BYTES;
    private int values;
    private int depth;

    /** How many bytes are written: a mark to measure from. */
    int size() {
        return target.length - start;
    }

    /** Begins a value that {@link #end} frames. */
    int begin() {
        values++;
        if (values > RecordCodec.MAX_VALUES) {
            throw new LimitExceeded(
                    "MAX_VALUES (values)", RecordCodec.MAX_VALUES, values, "send fewer chunks or elements in one call");
        }
        depth++;
        if (depth > RecordCodec.MAX_DEPTH) {
            throw new LimitExceeded("MAX_DEPTH (values)", RecordCodec.MAX_DEPTH, depth, "nest less deeply");
        }
        return size();
    }

    /** Puts the length in front of what was written since {@code mark}. */
    void end(int mark) {
        depth--;
        unsigned(size() - mark + 1L);
    }

    /** Ends a value that is null. */
    void endNothing() {
        depth--;
        unsigned(0);
    }

    void unsigned(long value) {
        room(Varint.sizeOf(value));
        Varint.put(target, start, value);
    }

    /** Small values of either sign take few bytes. */
    void signed(long value) {
        unsigned((value << 1) ^ (value >> 63));
    }

    void fixed(long bits) {
        room(Long.BYTES);
        for (int i = 0; i < Long.BYTES; i++) {
            target[start + i] = (byte) (bits >>> (8 * i));
        }
    }

    void bytes(byte[] bytes) {
        room(bytes.length);
        System.arraycopy(bytes, 0, target, start, bytes.length);
    }

    void text(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                // a pair is one code point beyond the surrogates; half of one is a code point by itself
                if (Character.charCount(text.codePointAt(i)) == 1) {
                    throw new InvalidArgument("A text is not well-formed: it has half of a surrogate pair.");
                }
                i++;
            }
        }
        bytes(text.getBytes(StandardCharsets.UTF_8));
    }

    byte[] toByteArray() {
        return Arrays.copyOfRange(target, start, target.length);
    }

    /** Moves the start ahead; the target may be another one afterwards. */
    private void room(int length) {
        if (length > start) {
            grow(length);
        }
        start -= length;
    }

    private void grow(int length) {
        int used = size();
        long needed = (long) used + length;
        if (needed > RecordCodec.MAX_BYTES) {
            throw new LimitExceeded(
                    "MAX_BODY_BYTES", RecordCodec.MAX_BYTES, needed, "send less in one call to another node");
        }
        int capacity = (int) Math.min(RecordCodec.MAX_BYTES, Math.max(needed, 2L * target.length));
        byte[] larger = new byte[capacity];
        System.arraycopy(target, start, larger, capacity - used, used);
        start = capacity - used;
        target = larger;
    }
}
