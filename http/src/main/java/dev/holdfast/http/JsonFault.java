package dev.holdfast.http;

import java.util.List;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;

/** Says in plain words why a text is no JSON, and where; a parser's own words are about the parser. */
public final class JsonFault {

    private static final int MAX_SHOWN_CHARS = 40;

    /** What the parser says, by how its message begins, and what that means to whoever wrote the text. */
    private record Wording(Pattern message, Function<MatchResult, String> words) {
        static Wording of(String message, Function<MatchResult, String> words) {
            return new Wording(Pattern.compile(message, Pattern.DOTALL), words);
        }

        static Wording of(String message, String words) {
            return of(message, found -> words);
        }
    }

    private static final List<Wording> WORDINGS = List.of(
            Wording.of("Unexpected end-of-input.*", "it ends before its last brace, bracket or quote is closed"),
            Wording.of(
                    "Unrecognized token '(.*?)'.*",
                    found -> shown(found) + " is no JSON value; texts are in double quotes"),
            Wording.of("Non-standard token '(.*?)'.*", found -> shown(found) + " is no JSON value"),
            Wording.of("Duplicate Object property \"(.*)\".*", found -> shown(found) + " is there twice in one object"),
            Wording.of("Trailing token.*", "something follows behind its end"),
            Wording.of(
                    "Unexpected character \\('(.)'.*expecting double-quote to start property name.*",
                    found -> "a name in double quotes should stand here, not " + shown(found)),
            Wording.of(
                    "Unexpected character \\('(.)'.*expecting a colon.*",
                    found -> "a colon should stand between a name and its value, not " + shown(found)),
            Wording.of(
                    "Unexpected character \\('(.)'.*expecting comma.*",
                    found -> "a comma or the end should stand here, not " + shown(found)),
            Wording.of("Unexpected character \\('(.)'.*numeric value.*", "the number is not complete"),
            Wording.of(
                    "Unexpected character \\('(.)'.*hex-digit.*", "a \\u is not followed by four hexadecimal digits"),
            Wording.of("Unexpected character \\('(.)'.*", found -> "a value should stand here, not " + shown(found)),
            Wording.of(
                    "Unrecognized character escape.*",
                    "a backslash is followed by a character that it does not escape"),
            Wording.of("Illegal unquoted character.*", "a control character in a text is not escaped"),
            Wording.of("Invalid numeric value: Leading zeroes.*", "a number begins with a zero that does not count"),
            Wording.of("Invalid UTF-8.*", "it is not UTF-8"),
            Wording.of(
                    "Document nesting depth.*\\((\\d+),.*",
                    found -> "it is nested more than %s deep".formatted(found.group(1))),
            Wording.of(
                    "Number value length.*\\((\\d+),.*",
                    found -> "a number has more than %s digits".formatted(found.group(1))),
            Wording.of(
                    "Name length.*\\((\\d+),.*",
                    found -> "a name has more than %s characters".formatted(found.group(1))));

    private JsonFault() {}

    /**
     * One sentence, such as {@code The body is not JSON: "nope" is no JSON value; texts are in double quotes (line 1, column 6).}
     *
     * @param what what was read, with an article
     */
    public static String sentence(String what, JacksonException fault) {
        return "%s is not JSON: %s%s.".formatted(what, words(fault.getOriginalMessage()), place(fault.getLocation()));
    }

    private static String words(String message) {
        for (Wording wording : WORDINGS) {
            Matcher matcher = wording.message().matcher(message);
            if (matcher.matches()) {
                return wording.words().apply(matcher.toMatchResult());
            }
        }
        return "it is malformed";
    }

    private static String shown(MatchResult found) {
        String text = found.group(1);
        return '"' + (text.length() > MAX_SHOWN_CHARS ? text.substring(0, MAX_SHOWN_CHARS) + "..." : text) + '"';
    }

    private static String place(@Nullable TokenStreamLocation at) {
        return at == null || at.getLineNr() < 1
                ? ""
                : " (line %d, column %d)".formatted(at.getLineNr(), at.getColumnNr());
    }
}
