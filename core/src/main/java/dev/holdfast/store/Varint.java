package dev.holdfast.store;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Variable-length integers of 1 to 10 bytes, seven bits a byte, least significant first. */
public final class Varint {

    private Varint() {}

    public static int sizeOf(long value) {
        return value == 0 ? 1 : (70 - Long.numberOfLeadingZeros(value)) / 7;
    }

    /** Writes {@code value} at {@code at} and returns the position after it. */
    public static int put(byte[] target, int at, long value) {
        int position = at;
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            target[position++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        target[position++] = (byte) rest;
        return position;
    }

    /** Writes {@code value} at the end of {@code out}. */
    public static void write(ByteArrayOutputStream out, long value) {
        byte[] bytes = new byte[sizeOf(value)];
        put(bytes, 0, value);
        out.writeBytes(bytes);
    }

    /** Reads integers and byte strings from an array whose checksum was verified before. */
    public static final class Reader {
        private final byte[] source;
        private int position;

        public Reader(byte[] source, int position) {
            this.source = source;
            this.position = position;
        }

        public int position() {
            return position;
        }

        public long next() {
            long value = 0;
            for (int shift = 0; shift < 70; shift += 7) {
                byte b = source[position++];
                value |= (long) (b & 0x7F) << shift;
                if (b >= 0) {
                    return value;
                }
            }
            throw new IllegalStateException("a variable-length integer is longer than 10 bytes");
        }

        public byte[] nextBytes() {
            int length = Math.toIntExact(next());
            byte[] bytes = Arrays.copyOfRange(source, position, Math.addExact(position, length));
            position += length;
            return bytes;
        }

        /** A length, then so many bytes of UTF-8. */
        public String nextText() {
            return new String(nextBytes(), StandardCharsets.UTF_8);
        }

        /** Steps over a byte string of the given length and returns where it starts. */
        public int skip(int length) {
            int start = position;
            position = Math.addExact(position, length);
            return start;
        }
    }
}
