package dev.holdfast.mcp.streamable;

import dev.holdfast.mcp.events.McpEvent;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/**
 * Server-sent events as MCP has them, collected to be written together. A message is JSON on one line, so it is one field of data. One thread
 * at a time.
 */
final class SseEvents {

    private static final byte[] ID = ascii("id: ");
    private static final byte[] MESSAGE = ascii("\nevent: message\ndata: ");
    private static final byte[] END = ascii("\n\n");
    private static final byte[] RETRY = ascii("retry: ");
    private static final byte[] PRIMING_DATA = ascii("\ndata: \n\n");
    private static final byte[] COMMENT = ascii(":\n\n");
    private static final int USUAL_BYTES = 512;

    private ByteArrayOutputStream out = new ByteArrayOutputStream(USUAL_BYTES);

    void messages(List<McpEvent> events) {
        for (McpEvent event : events) {
            out.writeBytes(ID);
            out.writeBytes(ascii(event.id()));
            out.writeBytes(MESSAGE);
            line(event.message());
            out.writeBytes(END);
        }
    }

    /** Between the tokens of JSON, and nowhere else in it, there may be line breaks; they mean nothing. */
    private void line(ByteBuffer message) {
        byte[] bytes = new byte[message.remaining()];
        message.duplicate().get(bytes);
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == '\n' || bytes[i] == '\r') {
                bytes[i] = ' ';
            }
        }
        out.writeBytes(bytes);
    }

    /** An event that only gives an id, with how long to wait before coming back with it. */
    void priming(String id, Duration retry) {
        out.writeBytes(ID);
        out.writeBytes(ascii(id));
        out.write('\n');
        out.writeBytes(RETRY);
        out.writeBytes(ascii(Long.toString(retry.toMillis())));
        out.writeBytes(PRIMING_DATA);
    }

    void retry(Duration pause) {
        out.writeBytes(RETRY);
        out.writeBytes(ascii(Long.toString(pause.toMillis())));
        out.writeBytes(END);
    }

    void comment() {
        out.writeBytes(COMMENT);
    }

    boolean isEmpty() {
        return out.size() == 0;
    }

    byte[] take() {
        byte[] bytes = out.toByteArray();
        out = new ByteArrayOutputStream(USUAL_BYTES); // a large one is not held while the connection rests
        return bytes;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
