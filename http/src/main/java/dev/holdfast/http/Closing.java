package dev.holdfast.http;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.StandardCharsets;

/**
 * A close frame's content, for bindings.
 *
 * @param code a code that an endpoint may send
 * @param reason at most {@value #MAX_REASON_BYTES} bytes of UTF-8, to which it is cut
 */
public record Closing(int code, String reason) {

    /** A control frame has at most 125 bytes, of which the code takes two. */
    private static final int MAX_REASON_BYTES = 123;

    public Closing {
        boolean standard = (code >= 1000 && code <= 1013) && code != 1004 && code != 1005 && code != 1006;
        if (!standard && (code < 3000 || code > 4999)) {
            throw new IllegalArgumentException("No close frame has the code " + code);
        }
        reason = cut(reason);
    }

    private static String cut(String text) {
        CharsetEncoder encoder = StandardCharsets.UTF_8.newEncoder();
        CharBuffer in = CharBuffer.wrap(text);
        encoder.encode(in, ByteBuffer.allocate(MAX_REASON_BYTES), true); // stops before a character that does not fit
        return text.substring(0, in.position());
    }
}
