package dev.holdfast.mcp.events;

import dev.holdfast.error.HoldfastException.InvalidArgument;

/** Names of streams and their tags. A session's and a stream's id have no slash, so that no two pairs of them share a name. */
final class EventNames {

    private static final String PREFIX = "mcp/";

    private EventNames() {}

    static String stream(String session, String stream) {
        return tag(session) + "/" + check("stream", stream);
    }

    static String tag(String session) {
        return PREFIX + check("session", session);
    }

    private static String check(String what, String id) {
        boolean fine = !id.isEmpty() && id.length() <= McpEventStore.MAX_ID_CHARS;
        for (int i = 0; fine && i < id.length(); i++) {
            char c = id.charAt(i);
            fine = c > 0x20 && c < 0x7f && c != '/';
        }
        if (!fine) {
            throw new InvalidArgument(
                    "The id of a %s has 1 to %d characters, of visible ASCII without a slash; got \"%s\"."
                            .formatted(what, McpEventStore.MAX_ID_CHARS, printable(id)));
        }
        return id;
    }

    private static String printable(String id) {
        String shortened = id.length() > McpEventStore.MAX_ID_CHARS ? id.substring(0, McpEventStore.MAX_ID_CHARS) : id;
        return shortened.replaceAll("[^\\x20-\\x7e]", "?");
    }

    /** The session and the stream that a stored name stands for, or null if it is none of ours. */
    static McpEventStore.@org.jspecify.annotations.Nullable Place place(String name) {
        int slash = name.indexOf('/', PREFIX.length());
        if (!name.startsWith(PREFIX) || slash < 0 || name.indexOf('/', slash + 1) >= 0) {
            return null;
        }
        return new McpEventStore.Place(name.substring(PREFIX.length(), slash), name.substring(slash + 1));
    }
}
