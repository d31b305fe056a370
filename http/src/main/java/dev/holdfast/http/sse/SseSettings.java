package dev.holdfast.http.sse;

import dev.holdfast.store.Time;
import java.time.Duration;

/**
 * How event streams behave.
 *
 * @param heartbeat silence after which a comment is written, so that no proxy cuts the connection and a vanished client is noticed; zero for
 *     never
 * @param retry how long a client is asked to wait before it comes back
 * @param rotateAfter age at which a connection is cut on purpose, its client coming back with its cursor; zero for never. Up to a tenth is
 *     taken off at random, so that clients that came together do not come back together
 * @param time clock and randomness for the rotation
 */
public record SseSettings(Duration heartbeat, Duration retry, Duration rotateAfter, Time time) {

    public static final Duration DEFAULT_HEARTBEAT = Duration.ofSeconds(15);
    public static final Duration DEFAULT_RETRY = Duration.ofSeconds(2);

    public static SseSettings defaults() {
        return new SseSettings(DEFAULT_HEARTBEAT, DEFAULT_RETRY, Duration.ZERO, Time.system());
    }

    public SseSettings withHeartbeat(Duration silence) {
        return new SseSettings(silence, retry, rotateAfter, time);
    }

    public SseSettings withRotateAfter(Duration age) {
        return new SseSettings(heartbeat, retry, age, time);
    }
}
