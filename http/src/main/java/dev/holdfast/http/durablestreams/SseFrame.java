package dev.holdfast.http.durablestreams;

import dev.holdfast.stream.ReadBatch;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Encodes a batch as events: one with the data, if there is any, and the control event that says where it ends. One batch per instance. */
final class SseFrame {

    private static final byte[] DATA_EVENT = ascii("event: data\n");
    private static final byte[] DATA = ascii("data:");
    private static final byte[] CONTROL = ascii("event: control\ndata:{\"streamNextOffset\":\"");
    private static final byte[] CURSOR = ascii("\",\"streamCursor\":\"");
    private static final byte[] UP_TO_DATE = ascii("\"upToDate\":true");
    private static final byte[] CLOSED = ascii("\"streamClosed\":true");
    private static final byte[] ID = ascii("}\nid:");

    /** A control event and the names of the fields; lines of data may need more. */
    private static final int USUAL_OVERHEAD = 256;

    private byte[] out;
    private int size;

    private SseFrame(int capacity) {
        out = new byte[capacity];
    }

    /**
     * @param cursor the cache cursor to come back with
     */
    static byte[] of(Content content, ReadBatch batch, long cursor) {
        byte[] data = batch.chunks().isEmpty() ? Wire.NOTHING : content.event(batch.chunks());
        SseFrame frame = new SseFrame(data.length + USUAL_OVERHEAD);
        if (!batch.chunks().isEmpty()) {
            frame.data(data);
        }
        frame.control(batch, cursor);
        return Arrays.copyOf(frame.out, frame.size);
    }

    /**
     * Each line becomes a field, whatever ends it: a carriage return by itself ends one as well, or content could write events of its own.
     * Clients take one space off the beginning of a line; a line that begins with one gets another.
     */
    private void data(byte[] data) {
        put(DATA_EVENT);
        int from = 0;
        for (int i = 0; i <= data.length; i++) {
            if (i == data.length || data[i] == '\n' || data[i] == '\r') {
                put(DATA);
                if (from < i && data[from] == ' ') {
                    put((byte) ' ');
                }
                put(data, from, i - from);
                put((byte) '\n');
                if (i + 1 < data.length && data[i] == '\r' && data[i + 1] == '\n') {
                    i++;
                }
                from = i + 1;
            }
        }
        put((byte) '\n');
    }

    private void control(ReadBatch batch, long cursor) {
        byte[] offset = ascii(StreamOffset.of(batch.nextSeq()));
        put(CONTROL);
        put(offset);
        if (!batch.ended()) {
            put(CURSOR);
            put(ascii(Long.toString(cursor)));
        }
        put((byte) '"');
        if (batch.upToDate()) {
            put((byte) ',');
            put(UP_TO_DATE);
        }
        if (batch.ended()) {
            put((byte) ',');
            put(CLOSED);
        }
        put(ID);
        put(offset);
        put((byte) '\n');
        put((byte) '\n');
    }

    private void put(byte one) {
        room(1);
        out[size++] = one;
    }

    private void put(byte[] bytes) {
        put(bytes, 0, bytes.length);
    }

    private void put(byte[] bytes, int from, int length) {
        room(length);
        System.arraycopy(bytes, from, out, size, length);
        size += length;
    }

    private void room(int more) {
        if (size + more > out.length) {
            out = Arrays.copyOf(out, Math.max(size + more, out.length + (out.length >> 1)));
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
