package dev.holdfast.stream;

import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.LimitExceeded;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Checks of names that come from outside: not empty, bounded in bytes, well-formed, without control characters. */
public final class Names {

    private Names() {}

    /**
     * @param what what is named, for the message
     * @return the name
     */
    public static String check(String what, String name) {
        int bytes = utf8Length(what, name);
        if (bytes == 0) {
            throw new InvalidArgument("The " + what + " is empty. Give it at least one character.");
        }
        if (bytes > StreamLimits.MAX_NAME_BYTES) {
            throw new LimitExceeded(
                    "MAX_NAME_BYTES",
                    StreamLimits.MAX_NAME_BYTES,
                    bytes,
                    "shorten the " + what + " (counted in UTF-8 bytes)");
        }
        for (int i = 0; i < name.length(); i++) {
            if (Character.isISOControl(name.charAt(i))) {
                throw new InvalidArgument("The %s has the control character U+%04X at index %d. Remove it."
                        .formatted(what, (int) name.charAt(i), i));
            }
        }
        return name;
    }

    /** Cuts a text that is longer than so many UTF-8 bytes, never through a character. */
    public static String shortened(String text, int maxBytes) {
        if (3L * text.length() <= maxBytes) {
            return text;
        }
        int bytes = 0;
        for (int i = 0; i < text.length(); ) {
            int c = text.codePointAt(i);
            bytes += c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
            if (bytes > maxBytes) {
                return text.substring(0, i);
            }
            i += Character.charCount(c);
        }
        return text;
    }

    private static int utf8Length(String what, String name) {
        if (name.length() > StreamLimits.MAX_NAME_BYTES) {
            return name.length(); // too long whatever the encoding
        }
        try {
            return StandardCharsets.UTF_8
                    .newEncoder()
                    .encode(CharBuffer.wrap(name))
                    .limit();
        } catch (CharacterCodingException e) {
            throw new InvalidArgument("The " + what + " is not well-formed text: it has half of a surrogate pair.");
        }
    }
}
