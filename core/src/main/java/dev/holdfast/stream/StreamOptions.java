package dev.holdfast.stream;

import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.LimitExceeded;
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
 * @param retention how much of it is kept; null for all of it
 */
@SuppressWarnings("ArrayRecordComponent") // opaque bytes, handed through
public record StreamOptions(
        @Nullable String tag,
        @Nullable String contentType,
        byte[] metadata,
        @Nullable Duration ttl,
        @Nullable Instant expiresAt,
        @Nullable Retention retention) {

    /** Content type of a stream that names none. */
    public static final String DEFAULT_CONTENT_TYPE = "application/octet-stream";

    public static final StreamOptions DEFAULTS = new StreamOptions(null, null, new byte[0], null, null, null);

    public StreamOptions withTag(String label) {
        return new StreamOptions(label, contentType, metadata, ttl, expiresAt, retention);
    }

    public StreamOptions withContentType(String mediaType) {
        return new StreamOptions(tag, mediaType, metadata, ttl, expiresAt, retention);
    }

    public StreamOptions withMetadata(byte[] bytes) {
        return new StreamOptions(tag, contentType, bytes.clone(), ttl, expiresAt, retention);
    }

    /** Sliding expiry. A restart may lengthen this life, never shorten it. */
    public StreamOptions withTimeToLive(Duration duration) {
        return new StreamOptions(tag, contentType, metadata, duration, expiresAt, retention);
    }

    public StreamOptions withExpiresAt(Instant instant) {
        return new StreamOptions(tag, contentType, metadata, ttl, instant, retention);
    }

    public StreamOptions withRetention(Retention limits) {
        return new StreamOptions(tag, contentType, metadata, ttl, expiresAt, limits);
    }

    /** Checks what needs no stream. */
    void check() {
        if (tag != null) {
            Names.check("tag", tag);
        }
        if (contentType != null) {
            Names.check("content type", contentType);
        }
        if (metadata.length > StreamLimits.MAX_METADATA_BYTES) {
            throw new LimitExceeded(
                    "MAX_METADATA_BYTES", StreamLimits.MAX_METADATA_BYTES, metadata.length, "store less metadata");
        }
        if (ttl != null && (ttl.compareTo(Duration.ofMillis(1)) < 0 || ttl.compareTo(StreamLimits.MAX_LIFE) > 0)) {
            throw new InvalidArgument("A time to live is at least one millisecond and at most %d days; got %s."
                    .formatted(StreamLimits.MAX_LIFE.toDays(), ttl));
        }
        if (expiresAt != null && (!expiresAt.isAfter(Instant.EPOCH) || expiresAt.isAfter(StreamLimits.LATEST_EXPIRY))) {
            throw new InvalidArgument("An expiry lies after 1970 and not after %s; got %s."
                    .formatted(StreamLimits.LATEST_EXPIRY, expiresAt));
        }
        if (retention != null) {
            retention.check();
        }
        if (ttl != null && expiresAt != null) {
            throw new InvalidArgument("A stream has a time to live or an expiry, not both.");
        }
    }
}
