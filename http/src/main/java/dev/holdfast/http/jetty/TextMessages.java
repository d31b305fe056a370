package dev.holdfast.http.jetty;

import dev.holdfast.http.Closing;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.WebSocket;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.eclipse.jetty.websocket.core.Frame;
import org.eclipse.jetty.websocket.core.OpCode;
import org.jspecify.annotations.Nullable;

/**
 * Puts the frames of text messages together. What is refused is dropped up to its end before that is said, unless there is very much of it. One
 * thread at a time.
 */
final class TextMessages {

    private final int maxBytes;
    private @Nullable ByteArrayOutputStream pieces;
    private @Nullable RefusedException refused;
    private long dropped;

    TextMessages(int maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** What came is no text message, or too large. */
    static final class RefusedException extends Exception {
        private final transient Closing closing;

        RefusedException(int code, String reason) {
            super(reason, null, false, false);
            this.closing = new Closing(code, reason);
        }

        Closing closing() {
            return closing;
        }
    }

    /** Returns the message that ends with the frame, or null if it goes on. */
    @Nullable
    String add(Frame frame) throws RefusedException {
        ByteBuffer payload = frame.hasPayload() ? frame.getPayload() : ByteBuffer.allocate(0);
        if (refused == null) {
            refused = refusal(frame, payload.remaining());
        }
        if (refused == null) {
            return text(frame.isFin(), payload);
        }
        pieces = null;
        dropped += payload.remaining();
        if (frame.isFin() || dropped > HttpLimits.MAX_DROPPED_MESSAGE_BYTES) {
            throw refused;
        }
        return null;
    }

    private @Nullable RefusedException refusal(Frame frame, int bytes) {
        if (frame.getOpCode() == OpCode.BINARY) {
            return new RefusedException(WebSocket.NOT_TEXT, "Send text messages; this one is binary.");
        }
        if (bytes > maxBytes - (pieces == null ? 0 : pieces.size())) {
            return new RefusedException(
                    WebSocket.TOO_LARGE, "A message may have at most %d bytes of UTF-8.".formatted(maxBytes));
        }
        return null;
    }

    private @Nullable String text(boolean last, ByteBuffer payload) throws RefusedException {
        ByteArrayOutputStream before = pieces;
        if (before == null && last) {
            return decoded(payload);
        }
        ByteArrayOutputStream all = before == null ? new ByteArrayOutputStream() : before;
        byte[] bytes = new byte[payload.remaining()];
        payload.get(bytes);
        all.write(bytes, 0, bytes.length);
        pieces = last ? null : all;
        return last ? decoded(ByteBuffer.wrap(all.toByteArray())) : null;
    }

    private static String decoded(ByteBuffer utf8) throws RefusedException {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(utf8).toString();
        } catch (CharacterCodingException e) {
            throw new RefusedException(WebSocket.NOT_UTF8, "A text message must be UTF-8.");
        }
    }
}
