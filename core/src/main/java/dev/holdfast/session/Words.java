package dev.holdfast.session;

import java.text.Normalizer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Takes texts apart into words, the same way for what is searched and for what is asked: a word is a row of letters, digits and marks, compared
 * without case and accents. In scripts that do not set words apart each character is one.
 */
final class Words {

    private Words() {}

    /**
     * A word where it stands.
     *
     * @param from where it begins in the text
     * @param to behind its last character
     * @param folded as it is compared: letters and digits; never empty
     */
    record Word(int from, int to, String folded) {}

    /** Told of each word in turn; returns whether to go on. */
    interface Visit {
        boolean word(Word word);
    }

    /** The words of a message's text, each once, with spaces between them. Of a long text only the beginning counts. */
    static String toIndex(String text) {
        Set<String> words = new LinkedHashSet<>();
        int[] left = {SessionLimits.MAX_SEARCHED_CHARS};
        visit(shortened(text, SessionLimits.MAX_SEARCHED_CHARS), word -> {
            left[0] -= word.folded().length(); // which may be longer than the word
            if (left[0] >= 0) {
                words.add(word.folded());
            }
            return left[0] > 0;
        });
        return String.join(" ", words);
    }

    /** The words of a question, each once; no more than a question may have. */
    static List<String> ofQuestion(String text) {
        Set<String> words = new LinkedHashSet<>();
        visit(shortened(text, SessionLimits.MAX_QUESTION_CHARS), word -> {
            words.add(word.folded());
            return words.size() < SessionLimits.MAX_QUESTION_WORDS;
        });
        return new ArrayList<>(words);
    }

    /** Whether a text has each word of a question, or one that begins with it. */
    static boolean answer(List<String> question, String text) {
        Set<String> left = new LinkedHashSet<>(question);
        visit(text, word -> {
            left.removeIf(each -> isFound(each, word.folded()));
            return !left.isEmpty();
        });
        return left.isEmpty();
    }

    /** Whether a word is one that was asked for. */
    static boolean isFound(String asked, String word) {
        return isBeginning(asked) ? word.startsWith(asked) : word.equals(asked);
    }

    /** A single character would begin too many words to be looked for as a beginning. */
    static boolean isBeginning(String word) {
        return word.codePointCount(0, word.length()) > 1;
    }

    private static String shortened(String text, int chars) {
        return text.length() <= chars ? text : text.substring(0, chars);
    }

    static void visit(String text, Visit visit) {
        int at = 0;
        while (at < text.length()) {
            int c = text.codePointAt(at);
            int from = at;
            at += Character.charCount(c);
            if (!isOfWord(c)) {
                continue;
            }
            while (!standsAlone(c) && at < text.length()) {
                int next = text.codePointAt(at);
                if (!isOfWord(next) || standsAlone(next)) {
                    break;
                }
                at += Character.charCount(next);
            }
            String folded = fold(text.substring(from, at));
            if (!folded.isEmpty() && !visit.word(new Word(from, at, folded))) {
                return;
            }
        }
    }

    private static boolean isOfWord(int c) {
        return Character.isLetterOrDigit(c) || isMark(c);
    }

    private static boolean isMark(int c) {
        int type = Character.getType(c);
        return type == Character.NON_SPACING_MARK || type == Character.COMBINING_SPACING_MARK;
    }

    private static boolean standsAlone(int c) {
        if (c < 0x0e00) {
            return false;
        }
        return Character.isIdeographic(c)
                || switch (Character.UnicodeScript.of(c)) {
                    case HIRAGANA, KATAKANA, THAI, LAO, KHMER, MYANMAR -> !isMark(c);
                    default -> false;
                };
    }

    private static String fold(String word) {
        if (word.chars().allMatch(c -> c < 0x80)) {
            return shortest(word.toLowerCase(Locale.ROOT));
        }
        StringBuilder folded = new StringBuilder(word.length());
        Normalizer.normalize(word, Normalizer.Form.NFKD)
                .toLowerCase(Locale.ROOT)
                .codePoints()
                .filter(Character::isLetterOrDigit)
                .forEach(folded::appendCodePoint);
        return shortest(Normalizer.normalize(folded, Normalizer.Form.NFC));
    }

    /** The beginning of a word that is too long, the same of both sides. */
    private static String shortest(String word) {
        return word.length() <= SessionLimits.MAX_WORD_CHARS
                ? word
                : word.substring(0, word.offsetByCodePoints(0, SessionLimits.MAX_WORD_CHARS / 2));
    }
}
