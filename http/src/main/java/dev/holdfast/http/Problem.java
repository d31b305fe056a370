package dev.holdfast.http;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * An error as RFC 9457 writes it.
 *
 * @param status the HTTP status
 * @param type a short name that programs compare; on the wire it is prefixed with {@value #TYPE_PREFIX}
 * @param title what kind of error it is, the same each time
 * @param detail what was wrong this time and what to do
 * @param members more fields, by kind
 * @param headers headers that belong to it
 */
public record Problem(
        int status,
        String type,
        String title,
        String detail,
        Map<String, Object> members,
        Map<String, String> headers) {

    public static final String TYPE_PREFIX = "urn:holdfast:problem:";

    public static final String MEDIA_TYPE = "application/problem+json";

    public static Problem of(int status, String type, String title, String detail) {
        return new Problem(status, type, title, detail, Map.of(), Map.of());
    }

    /** With one more field: a string, a number or a boolean. */
    public Problem with(String name, Object value) {
        Map<String, Object> more = new LinkedHashMap<>(members);
        more.put(name, value);
        return new Problem(status, type, title, detail, more, headers);
    }

    public Problem header(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new Problem(status, type, title, detail, members, more);
    }

    public Problem retryAfter(int seconds) {
        return header("Retry-After", Integer.toString(seconds)).with("retryAfterSeconds", seconds);
    }
}
