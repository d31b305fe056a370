package dev.holdfast.stream;

import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which streams to list, newest first.
 *
 * @param states wanted states; none means any
 * @param tag wanted tag, or null for any
 * @param after the {@link StreamStatus#position()} of the last one of the page before, or null
 * @param limit at most {@value StreamLimits#MAX_PAGE}
 */
public record StreamListing(
        Set<StreamState> states, @Nullable String tag, StreamStatus.@Nullable Position after, int limit) {

    /** Streams in any state, 100 of them. */
    public static StreamListing all() {
        return new StreamListing(EnumSet.noneOf(StreamState.class), null, null, 100);
    }

    public StreamListing in(Set<StreamState> wanted) {
        return new StreamListing(wanted, tag, after, limit);
    }

    public StreamListing tagged(String wanted) {
        return new StreamListing(states, wanted, after, limit);
    }

    public StreamListing after(StreamStatus.Position position) {
        return new StreamListing(states, tag, position, limit);
    }

    public StreamListing limit(int rows) {
        return new StreamListing(states, tag, after, rows);
    }
}
