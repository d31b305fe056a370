package dev.holdfast.mcp.events;

import dev.holdfast.stream.Retention;
import dev.holdfast.stream.StreamOptions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How long a stream of events is kept.
 *
 * @param unused a stream that was neither written nor read for this long is gone
 * @param retention how much of it is kept until then, or null for all of it
 */
public record EventLife(Duration unused, @Nullable Retention retention) {

    public static final Duration DEFAULT_UNUSED = Duration.ofHours(1);

    /** All of a stream, until it was not used for an hour. */
    public static EventLife defaults() {
        return new EventLife(DEFAULT_UNUSED, null);
    }

    public EventLife unusedFor(Duration duration) {
        return new EventLife(duration, retention);
    }

    public EventLife retaining(Retention limits) {
        return new EventLife(unused, limits);
    }

    StreamOptions options(String tag) {
        StreamOptions options = StreamOptions.DEFAULTS.withTag(tag).withTimeToLive(unused);
        return retention == null ? options : options.withRetention(retention);
    }
}
