package dev.holdfast.cluster;

import dev.holdfast.error.HoldfastException.InvalidArgument;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Reads an encoding that anybody may have made: every step is checked against what is left of the value it belongs to. */
final class ValueReader {

    private final byte[] source;
    private int position;

    /** Where the value ends that is being read. */
    private int end;

    private int values;
    private int depth;

    ValueReader(byte[] source) {
        if (source.length > RecordCodec.MAX_BYTES) {
            throw malformed(
                    "they are %d, more than MAX_BODY_BYTES = %d".formatted(source.length, RecordCodec.MAX_BYTES));
        }
        this.source = source;
        this.end = source.length;
    }

    static InvalidArgument malformed(String what) {
        return new InvalidArgument(
                "The bytes sent by another node cannot be read: %s. Check that all nodes run compatible versions."
                        .formatted(what));
    }

    /** Counts a value that costs memory. */
    void count() {
        values++;
        if (values > RecordCodec.MAX_VALUES) {
            throw malformed("they hold more than MAX_VALUES = " + RecordCodec.MAX_VALUES);
        }
    }

    /**
     * Begins a value: reads its length, and confines all reads to it until {@link #leave}.
     *
     * @return what {@link #leave} needs, or -1 if there is no value, but null
     */
    int enter() {
        count();
        long framed = unsigned();
        if (framed == 0) {
            return -1;
        }
        int inner = checkedEnd(framed - 1);
        depth++;
        if (depth > RecordCodec.MAX_DEPTH) {
            throw malformed("they are nested more than MAX_DEPTH = " + RecordCodec.MAX_DEPTH + " deep");
        }
        int outer = end;
        end = inner;
        return outer;
    }

    void leave(int outer) {
        expectEnd();
        depth--;
        end = outer;
    }

    /** Steps over a value whatever it is. */
    void skipValue() {
        long framed = unsigned();
        position = framed == 0 ? position : checkedEnd(framed - 1);
    }

    boolean hasMore() {
        return position < end;
    }

    void expectEnd() {
        if (position != end) {
            throw malformed((end - position) + " bytes are left over behind a value");
        }
    }

    long unsigned() {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            byte b = next();
            value |= (long) (b & 0x7F) << shift;
            if (b >= 0) {
                if (shift == 63 && b > 1) {
                    break;
                }
                return value;
            }
        }
        throw malformed("an integer has more than 64 bits");
    }

    long signed() {
        long value = unsigned();
        return (value >>> 1) ^ -(value & 1);
    }

    int signedInt() {
        long value = signed();
        if (value != (int) value) {
            throw malformed(value + " does not fit an int");
        }
        return (int) value;
    }

    /** A count of values that follow, at least one byte each. */
    int valueCount() {
        long count = unsigned();
        if (count < 0 || count > end - position) {
            throw malformed("more values are announced than there are bytes");
        }
        return (int) count;
    }

    byte next() {
        if (position >= end) {
            throw malformed("a value ends too early");
        }
        return source[position++];
    }

    long fixed() {
        long bits = 0;
        for (int i = 0; i < Long.BYTES; i++) {
            bits |= (next() & 0xFFL) << (8 * i);
        }
        return bits;
    }

    byte[] restAsBytes() {
        byte[] bytes = Arrays.copyOfRange(source, position, end);
        position = end;
        return bytes;
    }

    String restAsText() {
        try {
            // a decoder of its own: the String constructor replaces what is malformed, in silence
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(source, position, end - position))
                    .toString();
            position = end;
            return text;
        } catch (CharacterCodingException e) {
            throw malformed("a text is not UTF-8");
        }
    }

    private int checkedEnd(long length) {
        if (length < 0 || length > end - position) {
            throw malformed("a value is longer than what holds it");
        }
        return position + (int) length;
    }
}
