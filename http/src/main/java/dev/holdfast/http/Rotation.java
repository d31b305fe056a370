package dev.holdfast.http;

import dev.holdfast.store.Time;
import java.time.Duration;

/**
 * When a connection is old enough to be ended on purpose, before something between it and its client does so unasked. Up to a tenth of the age is taken off at
 * random, so that clients that came together do not come back together. Immutable.
 */
public final class Rotation {

    private final Time time;
    private final boolean ever;
    private final long at;

    private Rotation(Time time, Duration age) {
        long nanos = age.toNanos();
        this.time = time;
        this.ever = nanos > 0;
        this.at = time.monotonicNanos() + nanos - Math.floorMod(time.randomLong(), nanos / 10 + 1);
    }

    /**
     * Of a connection that begins now.
     *
     * @param age zero for never
     */
    public static Rotation after(Duration age, Time time) {
        return new Rotation(time, age);
    }

    /** Whether the connection is old enough. */
    public boolean isDue() {
        return ever && time.monotonicNanos() - at >= 0;
    }

    /** Whether it ever will be. */
    public boolean isEver() {
        return ever;
    }

    /** When, on the monotonic clock; of no meaning if {@link #isEver} is false. */
    public long at() {
        return at;
    }
}
