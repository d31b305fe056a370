package dev.holdfast.stream;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** One appended unit of a stream. Immutable; it may share its bytes with other readers. */
public final class Chunk {

    private final long seq;
    private final byte[] source;
    private final int offset;
    private final int length;

    Chunk(long seq, byte[] source, int offset, int length) {
        this.seq = seq;
        this.source = source;
        this.offset = offset;
        this.length = length;
    }

    /** Its sequence number: dense from 0 within the stream. */
    public long seq() {
        return seq;
    }

    /** Its length in bytes. */
    public int size() {
        return length;
    }

    /** A copy of its bytes. */
    public byte[] toByteArray() {
        return Arrays.copyOfRange(source, offset, offset + length);
    }

    /**
     * Copies its bytes.
     *
     * @return how many they are
     */
    public int copyTo(byte[] target, int at) {
        System.arraycopy(source, offset, target, at, length);
        return length;
    }

    /** A read-only view of its bytes. */
    public ByteBuffer bytes() {
        return ByteBuffer.wrap(source, offset, length).slice().asReadOnlyBuffer();
    }

    /** Its bytes as UTF-8 text. */
    public String text() {
        return new String(source, offset, length, StandardCharsets.UTF_8);
    }

    public void writeTo(OutputStream out) throws IOException {
        out.write(source, offset, length);
    }

    @Override
    public String toString() {
        return "Chunk[" + seq + ", " + length + " bytes]";
    }
}
