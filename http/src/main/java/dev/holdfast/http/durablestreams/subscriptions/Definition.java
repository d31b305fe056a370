package dev.holdfast.http.durablestreams.subscriptions;

import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a subscription was created as, except for the streams named with it, which became links.
 *
 * @param id the client's name for it
 * @param key the server's, another one each time the id is used anew
 * @param hash of the whole configuration, the named streams included
 * @param type how it wakes
 * @param pattern the streams that it follows, or null for only those that were asked for by name
 * @param webhook where it posts, or null
 * @param wakeStream where it writes its wakes, or null
 * @param lease how long a worker may be silent
 * @param description for people, or null
 * @param createdAt ms since 1970
 */
record Definition(
        String id,
        String key,
        String hash,
        Type type,
        @Nullable Glob pattern,
        @Nullable URI webhook,
        @Nullable String wakeStream,
        Duration lease,
        @Nullable String description,
        long createdAt) {

    /** How a subscription wakes its workers. */
    enum Type {
        WEBHOOK("webhook"),
        PULL_WAKE("pull-wake");

        private final String wire;

        Type(String wire) {
            this.wire = wire;
        }

        String wire() {
            return wire;
        }
    }

    boolean isWebhook() {
        return type == Type.WEBHOOK;
    }

    /** Whether its pattern matches. Its own wake stream it never follows: each wake would be news of its own. */
    boolean matches(String stream, String[] segments) {
        return pattern != null && !stream.equals(wakeStream) && pattern.matches(segments);
    }
}
