package dev.holdfast.http.durablestreams;

import dev.holdfast.http.HttpProblem;
import dev.holdfast.http.PathSegments;

/**
 * The name of a stream in a path: what follows the mount's prefix, decoded, slashes and all. Names that could be read in two ways are refused
 * rather than tidied: escaped slashes, backslashes, control characters, empty segments, {@code .} and {@code ..}.
 */
final class StreamName {

    /** Names that begin with it belong to turns. They are not served: pages of any origin may call here. */
    private static final String OF_TURNS = "turn/";

    private static final String PLAIN = "-_.~!$&'()*+,;=:@";

    private StreamName() {}

    /**
     * @param from where the name begins in the path, behind a slash
     * @throws HttpProblem 400 if it is none; 403 if it belongs to a turn
     */
    static String of(String rawPath, int from) {
        if (from >= rawPath.length()) {
            throw HttpProblem.badRequest("The path names no stream. Put a name behind \"" + rawPath + "\".");
        }
        String raw = rawPath.substring(from);
        String name = isPlain(raw) ? raw : String.join("/", PathSegments.of("/" + raw));
        if (name.startsWith(OF_TURNS)) {
            throw HttpProblem.forbidden(
                    "reserved-name",
                    "Names that begin with \"%s\" belong to turns. Choose another, or use the session API."
                            .formatted(OF_TURNS));
        }
        return name;
    }

    /** Whether it has nothing to decode and nothing to refuse. */
    private static boolean isPlain(String raw) {
        int segment = 0;
        for (int i = 0; i <= raw.length(); i++) {
            char c = i == raw.length() ? '/' : raw.charAt(i);
            if (c == '/') {
                if (i == segment || raw.charAt(segment) == '.') {
                    return false;
                }
                segment = i + 1;
            } else if (!isLetterOrDigit(c) && PLAIN.indexOf(c) < 0) {
                return false;
            }
        }
        return true;
    }

    private static boolean isLetterOrDigit(char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
    }
}
