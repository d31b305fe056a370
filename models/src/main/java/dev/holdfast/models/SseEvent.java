package dev.holdfast.models;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The data of one server-sent event, as the bytes that came: whole, so that decoding them never cuts a character. */
record SseEvent(byte[] data) {

    private static final byte[] DONE = "[DONE]".getBytes(StandardCharsets.US_ASCII);

    /** Whether this is the mark that ends a stream of chat completions. */
    boolean isDone() {
        return Arrays.equals(data, DONE);
    }
}
