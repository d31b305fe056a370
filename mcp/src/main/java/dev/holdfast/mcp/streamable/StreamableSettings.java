package dev.holdfast.mcp.streamable;

import dev.holdfast.store.Time;
import dev.holdfast.store.Timers;
import dev.holdfast.stream.Retention;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * How the transport behaves. Start from {@link #defaults()} and change what you need.
 *
 * @param sessionLife a session that was not used for so long is gone, and its client starts anew. A request uses it, and so do a call that runs
 *     and an open connection. A restart may lengthen this life, never shorten it
 * @param answerLife how long the stream of a POST can be resumed after it was last written or read; while its call runs it never ends
 * @param standalone how much of a session's standalone stream is kept. Who comes back for what was trimmed is told so
 * @param heartbeat silence after which a comment is written; zero for never
 * @param retry how long clients of 2025-11-25 are asked to wait before they come back
 * @param limits bounds
 * @param time clocks
 * @param timers makes what runs things later
 */
public record StreamableSettings(
        Duration sessionLife,
        Duration answerLife,
        Retention standalone,
        Duration heartbeat,
        Duration retry,
        StreamableLimits limits,
        Time time,
        Supplier<Timers> timers) {

    public static final Duration DEFAULT_SESSION_LIFE = Duration.ofHours(24);
    public static final Duration DEFAULT_ANSWER_LIFE = Duration.ofHours(1);
    public static final Duration DEFAULT_HEARTBEAT = Duration.ofSeconds(15);
    public static final Duration DEFAULT_RETRY = Duration.ofSeconds(1);

    /** Events of a standalone stream can be fetched for an hour, and of more than 4 MiB the newest. */
    public static final Retention DEFAULT_STANDALONE = new Retention(Duration.ofHours(1), 4L << 20);

    public StreamableSettings {
        if (sessionLife.toMillis() < 1 || answerLife.toMillis() < 1) {
            throw new IllegalArgumentException("A life is at least one millisecond");
        }
        if (heartbeat.isNegative() || retry.isNegative()) {
            throw new IllegalArgumentException("A heartbeat and a retry are not negative");
        }
        standalone.check();
    }

    public static StreamableSettings defaults() {
        return new StreamableSettings(
                DEFAULT_SESSION_LIFE,
                DEFAULT_ANSWER_LIFE,
                DEFAULT_STANDALONE,
                DEFAULT_HEARTBEAT,
                DEFAULT_RETRY,
                StreamableLimits.defaults(),
                Time.system(),
                Timers::system);
    }

    public StreamableSettings withSessionLife(Duration unused) {
        return new StreamableSettings(unused, answerLife, standalone, heartbeat, retry, limits, time, timers);
    }

    public StreamableSettings withAnswerLife(Duration unused) {
        return new StreamableSettings(sessionLife, unused, standalone, heartbeat, retry, limits, time, timers);
    }

    public StreamableSettings withStandalone(Retention kept) {
        return new StreamableSettings(sessionLife, answerLife, kept, heartbeat, retry, limits, time, timers);
    }

    public StreamableSettings withHeartbeat(Duration silence) {
        return new StreamableSettings(sessionLife, answerLife, standalone, silence, retry, limits, time, timers);
    }

    public StreamableSettings withRetry(Duration pause) {
        return new StreamableSettings(sessionLife, answerLife, standalone, heartbeat, pause, limits, time, timers);
    }

    public StreamableSettings withLimits(StreamableLimits bounds) {
        return new StreamableSettings(sessionLife, answerLife, standalone, heartbeat, retry, bounds, time, timers);
    }

    /** The same with other clocks. */
    public StreamableSettings withTime(Time clocks, Supplier<Timers> alarms) {
        return new StreamableSettings(sessionLife, answerLife, standalone, heartbeat, retry, limits, clocks, alarms);
    }
}
