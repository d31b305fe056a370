package dev.holdfast.session;

import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.LimitExceeded;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The titles of sessions: those that are set, and those that are made of a message. */
final class Titles {

    /** What the feed's event calls a title that was set. */
    static final String NAME = PropertyEngine.RESERVED + "title";

    /** The role of the messages that titles are made of. */
    static final String ROLE = "user";

    private Titles() {}

    /**
     * The title without blanks around it.
     *
     * @throws InvalidArgument if it is blank or has control characters
     * @throws LimitExceeded if it is too long
     */
    static String check(String title) {
        String stripped = new String(title.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8).strip();
        if (stripped.isEmpty()) {
            throw new InvalidArgument("A title has at least one character that is no blank.");
        }
        if (stripped.chars().anyMatch(Character::isISOControl)) {
            throw new InvalidArgument("A title has no line breaks and no other control characters.");
        }
        int length = stripped.codePointCount(0, stripped.length());
        if (length > SessionLimits.MAX_TITLE_CHARS) {
            throw new LimitExceeded("MAX_TITLE_CHARS", SessionLimits.MAX_TITLE_CHARS, length, "shorten it");
        }
        return stripped;
    }

    /** The first words of a text on one line: whole ones, unless the first one alone is too long. Null if there are none. */
    static @Nullable String of(String text) {
        StringBuilder title = new StringBuilder();
        int wordEnd = 0;
        int length = 0;
        boolean gap = false;
        for (int i = 0; i < text.length(); ) {
            int c = text.codePointAt(i);
            i += Character.charCount(c);
            if (isBlank(c)) {
                gap = length > 0;
                continue;
            }
            if (gap) {
                wordEnd = title.length();
            }
            if (length + (gap ? 2 : 1) > SessionLimits.MAX_MADE_TITLE_CHARS) {
                return wordEnd > 0 ? title.substring(0, wordEnd) : title.toString();
            }
            if (gap) {
                title.append(' ');
                length++;
                gap = false;
            }
            title.appendCodePoint(isLoneSurrogate(c) ? 0xFFFD : c);
            length++;
        }
        return title.isEmpty() ? null : title.toString();
    }

    private static boolean isBlank(int c) {
        return Character.isWhitespace(c) || Character.isSpaceChar(c) || Character.isISOControl(c);
    }

    /** Stores keep UTF-8, which has none. */
    private static boolean isLoneSurrogate(int c) {
        return c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE;
    }
}
