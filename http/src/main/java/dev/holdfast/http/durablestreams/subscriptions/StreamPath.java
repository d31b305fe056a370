package dev.holdfast.http.durablestreams.subscriptions;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.stream.Names;

/** Paths of streams in bodies: relative to the mount, which makes them the streams' names. */
final class StreamPath {

    /** Streams of the engine and the protocol themselves, which no subscription sees. */
    private static final String TURNS = "turn/";

    private static final String CONTROL = "__ds";

    private StreamPath() {}

    /** Whether a stream belongs to the server itself. */
    static boolean isReserved(String name) {
        return name.startsWith(TURNS) || name.equals(CONTROL) || name.startsWith(CONTROL + "/");
    }

    /** Without slashes at either end. */
    static String trimmed(String path) {
        int from = 0;
        int to = path.length();
        while (from < to && path.charAt(from) == '/') {
            from++;
        }
        while (to > from && path.charAt(to - 1) == '/') {
            to--;
        }
        return path.substring(from, to);
    }

    /**
     * The name of a stream that a request may be about.
     *
     * @param what what the path is for, for the message
     * @throws SubscriptionProblem if no stream could have it
     */
    static String checked(String what, String path) {
        String name = trimmed(path);
        try {
            Names.check(what, name);
        } catch (HoldfastException e) {
            throw SubscriptionProblem.invalid(String.valueOf(e.getMessage()));
        }
        if (isReserved(name)) {
            throw SubscriptionProblem.invalid("The %s \"%s\" is reserved. Choose a stream outside of %s and %s/."
                    .formatted(what, name, TURNS, CONTROL));
        }
        for (String segment : name.split("/", -1)) {
            if (segment.isEmpty() || segment.equals(".") || segment.equals("..") || segment.indexOf('\\') >= 0) {
                throw SubscriptionProblem.invalid(
                        "The %s \"%s\" has an empty segment, \".\", \"..\" or a backslash.".formatted(what, name));
            }
        }
        return name;
    }
}
