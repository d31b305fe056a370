package dev.holdfast.http.durablestreams;

import dev.holdfast.http.RequestHead;
import org.jspecify.annotations.Nullable;

/** The absolute address of what a request named, as its client sees it: a proxy in between says so in {@code X-Forwarded-*}. */
final class Locations {

    private static final int MAX_HOST_CHARS = 255 + 6;

    private Locations() {}

    static String of(RequestHead head) {
        return root(head) + head.rawPath();
    }

    /** What stands before the path of a request, without a slash at its end. */
    static String root(RequestHead head) {
        String forwarded = first(head.value("X-Forwarded-Host"));
        String host = forwarded != null && isHost(forwarded) ? forwarded : head.value("Host");
        return scheme(head) + "://" + (host == null ? "localhost" : host) + head.mount();
    }

    private static String scheme(RequestHead head) {
        String forwarded = first(head.value("X-Forwarded-Proto"));
        if ("https".equalsIgnoreCase(forwarded)) {
            return "https";
        }
        return "http".equalsIgnoreCase(forwarded) ? "http" : head.scheme();
    }

    /** The value of the proxy nearest to the client. */
    private static @Nullable String first(@Nullable String values) {
        if (values == null) {
            return null;
        }
        int comma = values.indexOf(',');
        return (comma < 0 ? values : values.substring(0, comma)).strip();
    }

    /** Whether it is a host name or address with or without a port, and nothing that could be more. */
    private static boolean isHost(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean name = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
            if (!name && ".-:[]".indexOf(c) < 0) {
                return false;
            }
        }
        return !text.isEmpty() && text.length() <= MAX_HOST_CHARS;
    }
}
