package dev.holdfast.http.durablestreams.subscriptions;

import dev.holdfast.error.HoldfastException.StreamGone;
import dev.holdfast.stream.StreamStatus;
import dev.holdfast.stream.Streams;
import java.util.Optional;

/** Streams as a subscription sees them: one that is gone but for its forks is not there. */
final class Present {

    private Present() {}

    static Optional<StreamStatus> of(Streams streams, String name) {
        try {
            return streams.status(name);
        } catch (StreamGone e) {
            return Optional.empty();
        }
    }
}
