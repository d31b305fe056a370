package dev.holdfast.http.durablestreams.subscriptions;

import java.util.List;
import java.util.Locale;

/**
 * A pattern of stream names: {@code *} stands for one segment, {@code **} for any number of them, none included; every other segment for
 * itself. A segment {@code %2A} stands for a literal star. Matching takes at most segments of the name times segments of the pattern steps,
 * whatever the pattern. Immutable.
 */
final class Glob {

    private static final String ONE = "*";
    private static final String ANY = "**";

    private final String text;
    private final String[] segments;

    private Glob(String text, String[] segments) {
        this.text = text;
        this.segments = segments;
    }

    /**
     * @throws SubscriptionProblem if it is too long or malformed
     */
    static Glob parse(String pattern) {
        if (pattern.length() > SubscriptionLimits.MAX_PATTERN_CHARS) {
            throw SubscriptionProblem.invalid("A pattern has at most %d characters; this has %d."
                    .formatted(SubscriptionLimits.MAX_PATTERN_CHARS, pattern.length()));
        }
        String text = StreamPath.checked("pattern", pattern);
        return new Glob(text, segments(text));
    }

    /** The segments of a name, for matching it with many patterns. */
    static String[] segments(String name) {
        return name.split("/", -1);
    }

    String text() {
        return text;
    }

    boolean matches(String name) {
        return matches(segments(name));
    }

    /** Greedy: a later {@code **} takes over from an earlier one, which need not be tried any longer. */
    boolean matches(String[] name) {
        int p = 0;
        int n = 0;
        int lastAny = -1;
        int takenByAny = 0;
        while (n < name.length) {
            if (p < segments.length && segments[p].equals(ANY)) {
                lastAny = p++;
                takenByAny = n;
            } else if (p < segments.length && fits(segments[p], name[n])) {
                p++;
                n++;
            } else if (lastAny >= 0) {
                p = lastAny + 1;
                n = ++takenByAny;
            } else {
                return false;
            }
        }
        while (p < segments.length && segments[p].equals(ANY)) {
            p++;
        }
        return p == segments.length;
    }

    private static boolean fits(String pattern, String segment) {
        return pattern.equals(ONE)
                || pattern.equals(segment)
                || (pattern.indexOf('%') >= 0
                        && pattern.toUpperCase(Locale.ROOT).contains("%2A")
                        && pattern.replace("%2a", ONE).replace("%2A", ONE).equals(segment));
    }

    @Override
    public String toString() {
        return List.of(segments).toString();
    }
}
