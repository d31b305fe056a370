package dev.holdfast.http;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A request without its body, as it came in: nothing is decoded yet.
 *
 * @param method as sent, such as {@code GET}
 * @param mount the path that the hosting server put before all of Holdfast's, with its percent escapes; empty if there is none
 * @param rawPath the path below the mount, with its percent escapes
 * @param rawQuery what follows the question mark, or null
 * @param headers its header fields
 * @param protocol such as {@code HTTP/1.1}
 * @param scheme {@code http} or {@code https}, as seen by this server
 * @param remoteAddress the peer's IP address
 * @param remoteUser whom the hosting server authenticated, or null
 */
public record RequestHead(
        String method,
        String mount,
        String rawPath,
        @Nullable String rawQuery,
        Headers headers,
        String protocol,
        String scheme,
        String remoteAddress,
        @Nullable String remoteUser) {

    public Optional<String> header(String name) {
        return headers.first(name);
    }

    /** The first value of a header field, or null. */
    public @Nullable String value(String name) {
        return headers.value(name);
    }
}
