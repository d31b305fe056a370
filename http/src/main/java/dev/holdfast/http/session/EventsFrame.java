package dev.holdfast.http.session;

import dev.holdfast.http.Json;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import tools.jackson.databind.node.ObjectNode;

/** Collects the events of one session that go in one frame. */
final class EventsFrame {

    private static final byte[] DATA = ascii(",\"data\":");
    private static final byte[] END_OF_EVENT = ascii("}");

    private final ByteArrayOutputStream events = new ByteArrayOutputStream(256);

    boolean isEmpty() {
        return events.size() == 0;
    }

    /** How much more it takes; none once it is full. */
    int room() {
        return TransportLimits.MAX_FRAME_BYTES - events.size();
    }

    void add(ObjectNode event) {
        begin();
        events.writeBytes(Json.MAPPER.writeValueAsBytes(event));
    }

    /**
     * A chunk of a turn's stream.
     *
     * @param head the event up to the turn, as {@link #head} makes it
     * @param seq its number in the stream, or a negative number if it was merged
     * @param json its data
     */
    void addChunk(byte[] head, long seq, byte[] json) {
        begin();
        events.writeBytes(head);
        if (seq >= 0) {
            events.writeBytes(ascii(",\"seq\":" + seq));
        }
        events.writeBytes(DATA);
        events.writeBytes(json);
        events.writeBytes(END_OF_EVENT);
    }

    private void begin() {
        if (!isEmpty()) {
            events.write(',');
        }
    }

    static byte[] head(String turnId) {
        return ("{\"kind\":\"chunk\",\"turn\":" + quoted(turnId)).getBytes(StandardCharsets.UTF_8);
    }

    /**
     * The whole frame.
     *
     * @param head as {@link #frameHead} makes it
     * @param from the token of the cursor that it continues
     * @param to the token of the cursor behind it
     */
    byte[] bytes(byte[] head, String from, String to) {
        ByteArrayOutputStream frame = new ByteArrayOutputStream(head.length + events.size() + 200);
        frame.writeBytes(head);
        frame.writeBytes(ascii(from));
        frame.writeBytes(ascii("\",\"cursor\":\""));
        frame.writeBytes(ascii(to));
        frame.writeBytes(ascii("\",\"events\":["));
        frame.writeBytes(events.toByteArray());
        frame.writeBytes(ascii("]}"));
        return frame.toByteArray();
    }

    /** What every frame of a session begins with. */
    static byte[] frameHead(String sessionId) {
        return ("{\"type\":\"events\",\"session\":" + quoted(sessionId) + ",\"from\":\"")
                .getBytes(StandardCharsets.UTF_8);
    }

    private static String quoted(String text) {
        return Json.MAPPER.writeValueAsString(text);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
