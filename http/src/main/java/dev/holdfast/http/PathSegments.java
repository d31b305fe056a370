package dev.holdfast.http;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Decodes percent escapes so that what comes out cannot mean something else than what was checked: strictly UTF-8, no control characters,
 * and in a path neither an escaped slash or backslash nor a segment that is empty, {@code .} or {@code ..}.
 */
public final class PathSegments {

    private PathSegments() {}

    /**
     * The segments of a path, decoded. {@code /} has none; a trailing slash is an empty segment and refused like any other.
     *
     * @throws HttpProblem 400 if the path is malformed or tries to leave its place
     */
    public static List<String> of(String rawPath) {
        if (!rawPath.startsWith("/")) {
            throw HttpProblem.badRequest("The path must begin with a slash.");
        }
        if (rawPath.equals("/")) {
            return List.of();
        }
        String[] raw = rawPath.substring(1).split("/", -1);
        if (raw.length > HttpLimits.MAX_PATH_SEGMENTS) {
            throw HttpProblem.badRequest("The path has %d segments, at most %d are looked at."
                    .formatted(raw.length, HttpLimits.MAX_PATH_SEGMENTS));
        }
        List<String> segments = new ArrayList<>(raw.length);
        for (String each : raw) {
            String segment = decode(each, "path");
            if (segment.isEmpty() || segment.equals(".") || segment.equals("..")) {
                throw HttpProblem.badRequest("The path has an empty segment, or one that is \".\" or \"..\".");
            }
            if (segment.indexOf('/') >= 0 || segment.indexOf('\\') >= 0) {
                throw HttpProblem.badRequest("The path has an escaped slash or a backslash; names in paths have none.");
            }
            segments.add(segment);
        }
        return segments;
    }

    /**
     * What of a raw path lies below a mount, still raw: {@code /names/x} for {@code /app/names/x} below {@code /app}. A path that does not
     * lie there segment by segment, such as {@code /./app}, is returned whole, and so finds no route.
     *
     * @param mount begins with a slash and ends without, or is empty; may have percent escapes
     */
    public static String below(String rawPath, String mount) {
        int at = 0;
        for (String segment :
                mount.isEmpty() ? List.<String>of() : List.of(mount.substring(1).split("/", -1))) {
            int end = rawPath.indexOf('/', at + 1);
            String found = rawPath.substring(Math.min(at + 1, rawPath.length()), end < 0 ? rawPath.length() : end);
            if (at == rawPath.length() || !sameSegment(found, segment)) {
                return rawPath;
            }
            at = end < 0 ? rawPath.length() : end;
        }
        return at == rawPath.length() ? "/" : rawPath.substring(at);
    }

    private static boolean sameSegment(String raw, String other) {
        try {
            return raw.equals(other) || decode(raw, "path").equals(decode(other, "path"));
        } catch (HttpProblem e) {
            return false;
        }
    }

    /** Decodes a name or value of a query, where a plus sign is a space. */
    public static String decodeQuery(String raw) {
        return decode(raw.replace("+", "%20"), "query");
    }

    /** Decodes percent escapes; a plus sign stays one. */
    static String decode(String raw, String where) {
        ByteBuffer bytes = ByteBuffer.allocate(raw.length());
        for (int i = 0; i < raw.length(); i++) {
            char c = raw.charAt(i);
            if (c == '%') {
                boolean whole = i + 2 < raw.length();
                int high = whole ? Character.digit(raw.charAt(i + 1), 16) : -1;
                int low = whole ? Character.digit(raw.charAt(i + 2), 16) : -1;
                if (high < 0 || low < 0) {
                    throw HttpProblem.badRequest(
                            "The %s has a percent sign without two hexadecimal digits.".formatted(where));
                }
                bytes.put((byte) (high << 4 | low));
                i += 2;
            } else if (c < 0x80) {
                bytes.put((byte) c);
            } else {
                throw HttpProblem.badRequest("The %s has a character that must be percent-encoded.".formatted(where));
            }
        }
        String decoded;
        try {
            decoded = StandardCharsets.UTF_8.newDecoder().decode(bytes.flip()).toString();
        } catch (CharacterCodingException e) {
            throw HttpProblem.badRequest("The %s is not UTF-8.".formatted(where));
        }
        if (decoded.chars().anyMatch(Character::isISOControl)) {
            throw HttpProblem.badRequest("The %s has a control character.".formatted(where));
        }
        return decoded;
    }
}
