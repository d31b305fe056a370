package dev.holdfast.session;

import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.LimitExceeded;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/**
 * A summary that a model reads in the place of a part of a conversation. The messages stay as they are, for everyone else.
 *
 * @param id unique within the session; a number, higher for a newer overlay
 * @param from id of the first message that is folded, the one nearest to the root
 * @param to id of the last one; the same, or a descendant of {@code from}
 * @param summary what is read instead, at most {@value SessionLimits#MAX_SUMMARY_BYTES} bytes of UTF-8
 * @param createdAt when it was put
 */
public record Overlay(String id, String from, String to, String summary, Instant createdAt) {

    private static final byte FORMAT = 1;

    /** Checks what is to become an overlay. */
    static void checkSummary(String summary) {
        if (summary.isBlank()) {
            throw new InvalidArgument("A summary needs some text.");
        }
        int bytes = summary.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > SessionLimits.MAX_SUMMARY_BYTES) {
            throw new LimitExceeded(
                    "MAX_SUMMARY_BYTES", SessionLimits.MAX_SUMMARY_BYTES, bytes, "ask for a shorter summary");
        }
    }

    byte[] encoded() {
        byte[] first = from.getBytes(StandardCharsets.UTF_8);
        byte[] last = to.getBytes(StandardCharsets.UTF_8);
        byte[] text = summary.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(1 + Long.BYTES + 2 * Short.BYTES + first.length + last.length + text.length)
                .put(FORMAT)
                .putLong(createdAt.toEpochMilli())
                .putShort((short) first.length)
                .put(first)
                .putShort((short) last.length)
                .put(last)
                .put(text)
                .array();
    }

    static Overlay decoded(String id, byte[] value) {
        ByteBuffer in = ByteBuffer.wrap(value);
        byte format = in.get();
        if (format != FORMAT) {
            throw new InvalidArgument("Overlay %s has format %d, which a newer version wrote.".formatted(id, format));
        }
        Instant createdAt = Instant.ofEpochMilli(in.getLong());
        String from = text(in, in.getShort());
        String to = text(in, in.getShort());
        return new Overlay(id, from, to, text(in, in.remaining()), createdAt);
    }

    private static String text(ByteBuffer in, int length) {
        byte[] bytes = new byte[length];
        in.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
