package dev.holdfast.session;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Cuts a piece out of a text, around the first word that was looked for, and marks such words in it. */
final class Snippet {

    /** Left out text. */
    private static final String ELLIPSIS = "…";

    private final String text;
    private final Predicate<String> wanted;
    private final List<SearchHit.Part> parts = new ArrayList<>();

    private Snippet(String text, Predicate<String> wanted) {
        this.text = text;
        this.wanted = wanted;
    }

    /**
     * @param wanted whether a folded word was looked for
     */
    static List<SearchHit.Part> of(String text, Predicate<String> wanted) {
        return new Snippet(text, wanted).cut();
    }

    private List<SearchHit.Part> cut() {
        int from = wordStart(firstMatch() - SessionLimits.SNIPPET_CHARS_BEFORE);
        int to = end(from + SessionLimits.SNIPPET_CHARS);
        if (from > 0) {
            add(ELLIPSIS, false);
        }
        int[] at = {from};
        String piece = text.substring(0, to);
        Words.visit(piece.substring(from), word -> {
            if (wanted.test(word.folded())) {
                add(piece.substring(at[0], from + word.from()), false);
                add(piece.substring(from + word.from(), from + word.to()), true);
                at[0] = from + word.to();
            }
            return true;
        });
        add(piece.substring(at[0]), false);
        if (to < text.length()) {
            add(ELLIPSIS, false);
        }
        return List.copyOf(parts);
    }

    private int firstMatch() {
        int[] first = {0};
        Words.visit(text, word -> {
            boolean found = wanted.test(word.folded());
            if (found) {
                first[0] = word.from();
            }
            return !found;
        });
        return first[0];
    }

    /** The next beginning of a word after a blank, or the text's own. */
    private int wordStart(int near) {
        if (near <= 0) {
            return 0;
        }
        for (int i = near; i < near + SessionLimits.SNIPPET_CHARS_BEFORE; i++) {
            if (Character.isWhitespace(text.charAt(i - 1)) && !Character.isWhitespace(text.charAt(i))) {
                return i;
            }
        }
        return onBoundary(near);
    }

    private int end(int near) {
        return near >= text.length() ? text.length() : onBoundary(near);
    }

    /** Never inside a code point. */
    private int onBoundary(int index) {
        return Character.isLowSurrogate(text.charAt(index)) && Character.isHighSurrogate(text.charAt(index - 1))
                ? index - 1
                : index;
    }

    /** Joins what does not differ. */
    private void add(String piece, boolean match) {
        if (piece.isEmpty()) {
            return;
        }
        if (!parts.isEmpty() && parts.getLast().match() == match && !match) {
            parts.add(new SearchHit.Part(parts.removeLast().text() + piece, false));
        } else {
            parts.add(new SearchHit.Part(piece, match));
        }
    }
}
