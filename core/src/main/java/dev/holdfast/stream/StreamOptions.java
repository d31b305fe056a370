package dev.holdfast.stream;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How a stream is created. All of it is ignored when the stream is already live, except that a given tag and content type must match.
 *
 * @param tag the application's own label, for listing; or null
 * @param contentType media type of the chunks
 * @param metadata the application's own bytes
 * @param ttl the stream expires when it was neither read nor written for this long; or null
 * @param expiresAt the stream expires at this instant; or null
 */
@SuppressWarnings("ArrayRecordComponent") // opaque bytes, handed through
public record StreamOptions(
        @Nullable String tag,
        @Nullable String contentType,
        byte[] metadata,
        @Nullable Duration ttl,
        @Nullable Instant expiresAt) {

    /** Content type of a stream that names none. */
    public static final String DEFAULT_CONTENT_TYPE = "application/octet-stream";

    public static final StreamOptions DEFAULTS = new StreamOptions(null, null, new byte[0], null, null);

    public StreamOptions withTag(String label) {
        return new StreamOptions(label, contentType, metadata, ttl, expiresAt);
    }

    public StreamOptions withContentType(String mediaType) {
        return new StreamOptions(tag, mediaType, metadata, ttl, expiresAt);
    }

    public StreamOptions withMetadata(byte[] bytes) {
        return new StreamOptions(tag, contentType, bytes.clone(), ttl, expiresAt);
    }

    /** Sliding expiry. A restart may lengthen this life, never shorten it. */
    public StreamOptions withTimeToLive(Duration duration) {
        return new StreamOptions(tag, contentType, metadata, duration, expiresAt);
    }

    public StreamOptions withExpiresAt(Instant instant) {
        return new StreamOptions(tag, contentType, metadata, ttl, instant);
    }
}
