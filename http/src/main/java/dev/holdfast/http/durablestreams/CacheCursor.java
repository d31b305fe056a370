package dev.holdfast.http.durablestreams;

import dev.holdfast.store.Time;
import org.jspecify.annotations.Nullable;

/**
 * The cursor that live requests carry so that a cache between client and server never answers one with an old answer to another: the number
 * of the interval of time. It never goes back: a client that brings one from the future, or from this very interval, gets a greater one.
 */
final class CacheCursor {

    /** 9 October 2024, midnight UTC: where the protocol begins to count. */
    private static final long EPOCH_MILLIS = 1_728_432_000_000L;

    private static final long INTERVAL_MILLIS = 20_000;

    /** At most this far ahead of what the client brought: an hour. */
    private static final long MAX_JITTER = 3_600_000 / INTERVAL_MILLIS;

    private static final int MAX_DIGITS = 15;

    private CacheCursor() {}

    /** The interval of now. */
    static long now(Time time) {
        return Math.max(0, (time.wallMillis() - EPOCH_MILLIS) / INTERVAL_MILLIS);
    }

    /**
     * The cursor after the one that a client brought.
     *
     * @param given as it came; what is no number counts as none
     */
    static long after(Time time, @Nullable String given) {
        long now = now(time);
        long known = given == null ? -1 : Numbers.parse(given, MAX_DIGITS);
        return known < now ? now : known + 1 + Math.floorMod(time.randomLong(), MAX_JITTER);
    }
}
