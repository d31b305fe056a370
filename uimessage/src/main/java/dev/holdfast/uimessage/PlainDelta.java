package dev.holdfast.uimessage;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Reads the one form that nearly all chunks of a stream have, a delta as this library writes it, by looking at its bytes: a long turn is tens of thousands of them, each read by whoever follows the turn. Whatever has another form is left to the reader that
 * knows all JSON; what both can read, they read alike.
 */
final class PlainDelta {

    /** What may follow a backslash here, and what each of them means. Anything beside them needs more care. */
    private static final String ESCAPES = "\"\\/bfnrt";

    private static final String ESCAPED = "\"\\/\b\f\n\r\t";

    private static final char REPLACEMENT = '\uFFFD';

    /** The bytes before the id, between the id and the text, and behind it. */
    private record Form(byte[] head, byte[] middle, BiFunction<String, String, UiChunk> chunk) {
        static Form of(String type, String id, String text, BiFunction<String, String, UiChunk> chunk) {
            return new Form(
                    bytes("{\"type\":\"%s\",\"%s\":\"".formatted(type, id)),
                    bytes("\",\"%s\":\"".formatted(text)),
                    chunk);
        }
    }

    private static final byte[] END = bytes("\"}");

    private static final List<Form> FORMS = List.of(
            Form.of("text-delta", "id", "delta", UiChunk.TextDelta::new),
            Form.of("reasoning-delta", "id", "delta", UiChunk.ReasoningDelta::new),
            Form.of("tool-input-delta", "toolCallId", "inputTextDelta", UiChunk.ToolInputDelta::new));

    private PlainDelta() {}

    private static byte[] bytes(String ascii) {
        return ascii.getBytes(StandardCharsets.US_ASCII);
    }

    /** The delta, or null if the bytes have another form. */
    static @Nullable UiChunk read(byte[] json) {
        if (json.length > UiLimits.MAX_CHUNK_BYTES) {
            return null;
        }
        for (Form form : FORMS) {
            if (startsWith(json, 0, form.head())) {
                return read(json, form);
            }
        }
        return null;
    }

    private static @Nullable UiChunk read(byte[] json, Form form) {
        int idStart = form.head().length;
        int idEnd = endOfString(json, idStart);
        if (!startsWith(json, idEnd, form.middle())) {
            return null;
        }
        int textStart = idEnd + form.middle().length;
        int textEnd = endOfString(json, textStart);
        if (textEnd + END.length != json.length || !startsWith(json, textEnd, END)) {
            return null;
        }
        String id = text(json, idStart, idEnd);
        String text = text(json, textStart, textEnd);
        return id == null || text == null ? null : form.chunk().apply(id, text);
    }

    private static boolean startsWith(byte[] json, int from, byte[] expected) {
        int to = from + expected.length;
        return to <= json.length && Arrays.equals(json, from, to, expected, 0, expected.length);
    }

    /** Where the string's closing quote is; or the end of the bytes, if what comes before a quote needs more care. */
    private static int endOfString(byte[] json, int from) {
        for (int i = from; i < json.length; i++) {
            byte b = json[i];
            if (b == '"') {
                return i;
            }
            if (b == '\\') {
                i++;
                if (i == json.length || ESCAPES.indexOf(json[i]) < 0) {
                    return json.length;
                }
            } else if (b >= 0 && b < ' ') {
                return json.length;
            }
        }
        return json.length;
    }

    private static @Nullable String text(byte[] json, int from, int to) {
        byte[] plain = new byte[to - from];
        int length = 0;
        for (int i = from; i < to; i++) {
            byte b = json[i];
            plain[length++] = b == '\\' ? (byte) ESCAPED.charAt(ESCAPES.indexOf(json[++i])) : b;
        }
        String text = new String(plain, 0, length, StandardCharsets.UTF_8);
        return text.indexOf(REPLACEMENT) < 0 ? text : null; // may stand for bytes that are no text
    }
}
