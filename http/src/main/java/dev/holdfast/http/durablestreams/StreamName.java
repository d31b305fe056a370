package dev.holdfast.http.durablestreams;

import dev.holdfast.http.HttpProblem;
import dev.holdfast.http.PathSegments;
import java.util.List;

/**
 * The name of a stream in a path: what follows the mount's prefix, decoded, slashes and all. Names that could be read in two ways are refused
 * rather than tidied: escaped slashes, backslashes, control characters, empty segments, {@code .} and {@code ..}.
 */
final class StreamName {

    /** Names that begin so belong to turns, and to sessions and tasks of MCP. They are not served: pages of any origin may call here. */
    private static final List<String> OWNED = List.of("turn/", "mcp/", "mcp-task/");

    private static final String PLAIN = "-_.~!$&'()*+,;=:@";

    private StreamName() {}

    /**
     * @param from where the name begins in the path, behind a slash
     * @throws HttpProblem 400 if it is none; 403 if it belongs to another part of Holdfast
     */
    static String of(String rawPath, int from) {
        if (from >= rawPath.length()) {
            throw HttpProblem.badRequest("The path names no stream. Put a name behind \"" + rawPath + "\".");
        }
        String raw = rawPath.substring(from);
        String name = isPlain(raw) ? raw : String.join("/", PathSegments.of("/" + raw));
        for (String owned : OWNED) {
            if (name.startsWith(owned)) {
                throw HttpProblem.forbidden(
                        "reserved-name",
                        "Names that begin with \"%s\" are Holdfast's own. Choose another one; what is in there has an API of its own."
                                .formatted(owned));
            }
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
