package dev.holdfast.http.sse;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Collects frames of server-sent events (WHATWG HTML 9.2), to be written together. Each line of data becomes a field of its own; a client
 * puts them together again with line feeds. One thread at a time.
 */
public final class SseFrames {

    private static final byte[] ID = ascii("id: ");
    private static final byte[] EVENT = ascii("event: ");
    private static final byte[] DATA = ascii("data: ");
    private static final byte[] RETRY = ascii("retry: ");

    private final ByteArrayOutputStream out = new ByteArrayOutputStream(512);

    /**
     * @param name the event's type, or null for {@code message}
     * @param id what the client sends as {@code Last-Event-ID} when it comes back, or null to leave it
     * @param data its data
     */
    public SseFrames event(@Nullable String name, @Nullable String id, ByteBuffer data) {
        if (name != null) {
            field(EVENT, name);
        }
        if (id != null) {
            field(ID, id);
        }
        data(data);
        out.write('\n');
        return this;
    }

    /** A line that clients skip. */
    public SseFrames comment(String text) {
        out.write(':');
        out.writeBytes(ascii(oneLine(text)));
        out.write('\n');
        out.write('\n');
        return this;
    }

    public SseFrames retry(Duration pause) {
        field(RETRY, Long.toString(pause.toMillis()));
        out.write('\n');
        return this;
    }

    public boolean isEmpty() {
        return out.size() == 0;
    }

    byte[] take() {
        byte[] bytes = out.toByteArray();
        out.reset();
        return bytes;
    }

    private void field(byte[] name, String value) {
        out.writeBytes(name);
        out.writeBytes(oneLine(value).getBytes(StandardCharsets.UTF_8));
        out.write('\n');
    }

    private static String oneLine(String value) {
        if (value.indexOf('\n') >= 0 || value.indexOf('\r') >= 0 || value.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("An event's name or id has a line break");
        }
        return value;
    }

    private void data(ByteBuffer data) {
        byte[] bytes = new byte[data.remaining()];
        data.get(bytes);
        int from = 0;
        for (int i = 0; i <= bytes.length; i++) {
            if (i == bytes.length || bytes[i] == '\n' || bytes[i] == '\r') {
                out.writeBytes(DATA);
                out.write(bytes, from, i - from);
                out.write('\n');
                if (i + 1 < bytes.length && bytes[i] == '\r' && bytes[i + 1] == '\n') {
                    i++;
                }
                from = i + 1;
            }
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
