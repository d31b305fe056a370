package dev.holdfast.http;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Which header fields tell the address that a client reached a proxy at, in front of this server. Name only what that proxy sets anew on every
 * request: whatever it lets through is the client's word.
 */
public enum ProxyHeaders {
    /** None: the address is that of the request itself. */
    NONE,
    /** {@code X-Forwarded-Proto} and {@code X-Forwarded-Host}. Of a list the first counts. */
    X_FORWARDED,
    /** {@code Forwarded} of RFC 7239 with {@code proto} and {@code host}. Of a list the first counts. */
    FORWARDED;

    @Nullable
    String proto(RequestHead head) {
        return switch (this) {
            case NONE -> null;
            case X_FORWARDED -> first(head.value("X-Forwarded-Proto"));
            case FORWARDED -> parameter(head.value("Forwarded"), "proto");
        };
    }

    @Nullable
    String host(RequestHead head) {
        return switch (this) {
            case NONE -> null;
            case X_FORWARDED -> first(head.value("X-Forwarded-Host"));
            case FORWARDED -> parameter(head.value("Forwarded"), "host");
        };
    }

    private static @Nullable String first(@Nullable String values) {
        if (values == null) {
            return null;
        }
        int comma = values.indexOf(',');
        return (comma < 0 ? values : values.substring(0, comma)).strip();
    }

    /** A parameter of the first element: {@code name=value} or {@code name="value"}, between semicolons. */
    private static @Nullable String parameter(@Nullable String elements, String name) {
        if (elements == null) {
            return null;
        }
        int at = 0;
        while (at < elements.length()) {
            int end = endOfPair(elements, at);
            String pair = elements.substring(at, end);
            int equals = pair.indexOf('=');
            if (equals > 0
                    && pair.substring(0, equals)
                            .strip()
                            .toLowerCase(Locale.ROOT)
                            .equals(name)) {
                return unquoted(pair.substring(equals + 1).strip());
            }
            if (end == elements.length() || elements.charAt(end) == ',') {
                return null;
            }
            at = end + 1;
        }
        return null;
    }

    /** Where the next semicolon or comma is that stands in no quotes. */
    private static int endOfPair(String text, int from) {
        boolean quoted = false;
        for (int i = from; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"') {
                quoted = !quoted;
            } else if (!quoted && (c == ';' || c == ',')) {
                return i;
            }
        }
        return text.length();
    }

    /** Hosts and schemes have nothing that could be escaped, so an escape makes what is none. */
    private static String unquoted(String value) {
        boolean quoted = value.length() >= 2 && value.startsWith("\"") && value.endsWith("\"");
        return quoted ? value.substring(1, value.length() - 1) : value;
    }
}
