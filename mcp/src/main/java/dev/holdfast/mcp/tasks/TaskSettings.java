package dev.holdfast.mcp.tasks;

import dev.holdfast.store.Time;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How tasks behave. Start from {@link #defaults()} and change what you need.
 *
 * @param timeToLive how long a task can be read, from its creation on; null without end. One that still runs then is cancelled
 * @param pollInterval how often clients are asked to look, in whole milliseconds
 * @param maxUnfinished tasks of all callers that run or wait for input at once
 * @param maxUnfinishedPerPrincipal the same of one caller
 * @param maxUnfinishedBytes what these tasks of all callers hold in memory together: their calls, questions and answers, as bytes of JSON
 * @param maxUnfinishedBytesPerPrincipal the same of one caller
 * @param maxEventBytes how much of a task's event stream is kept at least, in bytes; at most a little more than twice as much is. What is older is
 *     answered with {@code events_gone}
 * @param time clocks, and the randomness of ids
 */
public record TaskSettings(
        @Nullable Duration timeToLive,
        Duration pollInterval,
        int maxUnfinished,
        int maxUnfinishedPerPrincipal,
        long maxUnfinishedBytes,
        long maxUnfinishedBytesPerPrincipal,
        long maxEventBytes,
        Time time) {

    /** One event with all it carries, a call's arguments and a result among them; as JSON in UTF-8. */
    public static final int MAX_EVENT_BYTES = (8 << 20) - (64 << 10);

    /** How often one task may ask for input. */
    public static final int MAX_INPUT_ROUNDS = 100;

    /** What one task may ask for at once. */
    public static final int MAX_INPUT_REQUESTS = 100;

    /** Tasks that one subscription hears of. */
    public static final int MAX_SUBSCRIBED_TASKS = 1000;

    public TaskSettings {
        if (timeToLive != null && timeToLive.toMillis() < 1) {
            throw new IllegalArgumentException("A task lives for at least one millisecond; got " + timeToLive);
        }
        if (pollInterval.toMillis() < 1) {
            throw new IllegalArgumentException("A poll interval is at least one millisecond; got " + pollInterval);
        }
        if (maxUnfinished < 1 || maxUnfinishedPerPrincipal < 1) {
            throw new IllegalArgumentException("At least one task may be unfinished; got %d and %d for one principal"
                    .formatted(maxUnfinished, maxUnfinishedPerPrincipal));
        }
        if (maxUnfinishedBytes < 1 || maxUnfinishedBytesPerPrincipal < 1) {
            throw new IllegalArgumentException(
                    "Unfinished tasks hold at least one byte; got %d and %d for one principal"
                            .formatted(maxUnfinishedBytes, maxUnfinishedBytesPerPrincipal));
        }
        if (maxEventBytes < 1) {
            throw new IllegalArgumentException("At least one byte of events is kept; got " + maxEventBytes);
        }
    }

    /**
     * A day of life, a look each second, 10,000 unfinished tasks with 1,000 of each caller, which hold 256 MiB with 64 MiB of each caller, and
     * 16 MiB of events each.
     */
    public static TaskSettings defaults() {
        return new TaskSettings(
                Duration.ofDays(1),
                Duration.ofSeconds(1),
                10_000,
                1000,
                256L << 20,
                64L << 20,
                16L << 20,
                Time.system());
    }

    public TaskSettings withTimeToLive(@Nullable Duration life) {
        return new TaskSettings(
                life,
                pollInterval,
                maxUnfinished,
                maxUnfinishedPerPrincipal,
                maxUnfinishedBytes,
                maxUnfinishedBytesPerPrincipal,
                maxEventBytes,
                time);
    }

    public TaskSettings withPollInterval(Duration interval) {
        return new TaskSettings(
                timeToLive,
                interval,
                maxUnfinished,
                maxUnfinishedPerPrincipal,
                maxUnfinishedBytes,
                maxUnfinishedBytesPerPrincipal,
                maxEventBytes,
                time);
    }

    public TaskSettings withMaxUnfinished(int all, int ofOnePrincipal) {
        return new TaskSettings(
                timeToLive,
                pollInterval,
                all,
                ofOnePrincipal,
                maxUnfinishedBytes,
                maxUnfinishedBytesPerPrincipal,
                maxEventBytes,
                time);
    }

    public TaskSettings withMaxUnfinishedBytes(long all, long ofOnePrincipal) {
        return new TaskSettings(
                timeToLive,
                pollInterval,
                maxUnfinished,
                maxUnfinishedPerPrincipal,
                all,
                ofOnePrincipal,
                maxEventBytes,
                time);
    }

    public TaskSettings withMaxEventBytes(long bytes) {
        return new TaskSettings(
                timeToLive,
                pollInterval,
                maxUnfinished,
                maxUnfinishedPerPrincipal,
                maxUnfinishedBytes,
                maxUnfinishedBytesPerPrincipal,
                bytes,
                time);
    }

    public TaskSettings withTime(Time clocks) {
        return new TaskSettings(
                timeToLive,
                pollInterval,
                maxUnfinished,
                maxUnfinishedPerPrincipal,
                maxUnfinishedBytes,
                maxUnfinishedBytesPerPrincipal,
                maxEventBytes,
                clocks);
    }
}
