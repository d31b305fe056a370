package dev.holdfast.http.durablestreams;

import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.ProxyHeaders;
import dev.holdfast.http.sse.SseSettings;
import dev.holdfast.store.Time;
import dev.holdfast.store.Timers;
import dev.holdfast.stream.Retention;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How the wire behaves. Start from {@link #defaults()}.
 *
 * @param prefix the path of the mount, such as {@code /v1/stream}
 * @param longPoll how long a long-poll waits for something to answer with
 * @param keepAlive silence after which an event stream carries a comment
 * @param rotateAfter age at which an event stream ends, its client coming back with its offset; zero for never. Up to a tenth is taken off at
 *     random, so that clients that came together do not come back together
 * @param origins whose web pages may call
 * @param proxy what tells the address at which clients reach this server, for {@code Location} and for the addresses in webhooks
 * @param retention what is kept of streams that are created without a wish of their own; null for everything
 * @param maxBodyBytes one request's body
 * @param maxInFlightBytes bodies being written and answers being sent, of all requests together; beyond it a request is refused with 429
 * @param time clock and randomness
 * @param timers what wakes silent connections, on that clock; made once for each mount
 */
public record DurableStreamsSettings(
        String prefix,
        Duration longPoll,
        Duration keepAlive,
        Duration rotateAfter,
        Origins origins,
        ProxyHeaders proxy,
        @Nullable Retention retention,
        int maxBodyBytes,
        long maxInFlightBytes,
        Time time,
        Supplier<Timers> timers) {

    public static final String DEFAULT_PREFIX = "/v1/stream";
    public static final Duration DEFAULT_LONG_POLL = Duration.ofSeconds(30);
    public static final Duration DEFAULT_ROTATE_AFTER = Duration.ofSeconds(60);
    public static final long DEFAULT_MAX_IN_FLIGHT_BYTES = 256L << 20;

    /** Whose web pages may call. */
    public enum Origins {
        /** Those of any site: {@code Access-Control-Allow-Origin: *}. */
        ANY,
        /** Those that may call the rest of the server. */
        LISTED
    }

    /** What the protocol's clients expect. */
    public static DurableStreamsSettings defaults() {
        return new DurableStreamsSettings(
                DEFAULT_PREFIX,
                DEFAULT_LONG_POLL,
                SseSettings.DEFAULT_HEARTBEAT,
                DEFAULT_ROTATE_AFTER,
                Origins.ANY,
                ProxyHeaders.NONE,
                null,
                HttpLimits.DEFAULT_MAX_BODY_BYTES,
                DEFAULT_MAX_IN_FLIGHT_BYTES,
                Time.system(),
                Timers::system);
    }

    public DurableStreamsSettings withPrefix(String path) {
        return new DurableStreamsSettings(
                path,
                longPoll,
                keepAlive,
                rotateAfter,
                origins,
                proxy,
                retention,
                maxBodyBytes,
                maxInFlightBytes,
                time,
                timers);
    }

    public DurableStreamsSettings withLongPoll(Duration wait) {
        return new DurableStreamsSettings(
                prefix,
                wait,
                keepAlive,
                rotateAfter,
                origins,
                proxy,
                retention,
                maxBodyBytes,
                maxInFlightBytes,
                time,
                timers);
    }

    public DurableStreamsSettings withKeepAlive(Duration silence) {
        return new DurableStreamsSettings(
                prefix,
                longPoll,
                silence,
                rotateAfter,
                origins,
                proxy,
                retention,
                maxBodyBytes,
                maxInFlightBytes,
                time,
                timers);
    }

    public DurableStreamsSettings withRotateAfter(Duration age) {
        return new DurableStreamsSettings(
                prefix,
                longPoll,
                keepAlive,
                age,
                origins,
                proxy,
                retention,
                maxBodyBytes,
                maxInFlightBytes,
                time,
                timers);
    }

    public DurableStreamsSettings withOrigins(Origins pages) {
        return new DurableStreamsSettings(
                prefix,
                longPoll,
                keepAlive,
                rotateAfter,
                pages,
                proxy,
                retention,
                maxBodyBytes,
                maxInFlightBytes,
                time,
                timers);
    }

    public DurableStreamsSettings withProxy(ProxyHeaders headers) {
        return new DurableStreamsSettings(
                prefix,
                longPoll,
                keepAlive,
                rotateAfter,
                origins,
                headers,
                retention,
                maxBodyBytes,
                maxInFlightBytes,
                time,
                timers);
    }

    public DurableStreamsSettings withRetention(@Nullable Retention kept) {
        return new DurableStreamsSettings(
                prefix,
                longPoll,
                keepAlive,
                rotateAfter,
                origins,
                proxy,
                kept,
                maxBodyBytes,
                maxInFlightBytes,
                time,
                timers);
    }

    public DurableStreamsSettings withMaxInFlightBytes(long bytes) {
        return new DurableStreamsSettings(
                prefix, longPoll, keepAlive, rotateAfter, origins, proxy, retention, maxBodyBytes, bytes, time, timers);
    }

    public DurableStreamsSettings withTime(Time clock, Supplier<Timers> alarms) {
        return new DurableStreamsSettings(
                prefix,
                longPoll,
                keepAlive,
                rotateAfter,
                origins,
                proxy,
                retention,
                maxBodyBytes,
                maxInFlightBytes,
                clock,
                alarms);
    }
}
