package dev.holdfast.turn;

import java.time.Duration;

/**
 * The named limits of turns. Start from {@link #defaults()} and change what you need.
 *
 * @param maxAttempts how often an agent is started for a turn without progress in between; then the turn ends
 * @param maxWithoutProgress how long a turn is taken up again without progress; then it ends
 * @param stopGrace how long a stopped agent may take to return before the turn ends without it
 * @param drainGrace how long running turns may go on when the process is asked to end
 * @param maxWaiting turns that wait in one session's queue; the next is refused
 * @param maxNested nested turns without an outcome in one session; the next is refused
 * @param maxChunks chunks in a turn's stream; an agent that emits more fails its turn
 * @param maxBytes bytes that one run of an agent emits; an agent that emits more fails its turn
 * @param maxRunning turns that run in one process, all tenants together; while there are so many, none is started
 */
public record TurnLimits(
        int maxAttempts,
        Duration maxWithoutProgress,
        Duration stopGrace,
        Duration drainGrace,
        int maxWaiting,
        int maxNested,
        long maxChunks,
        long maxBytes,
        int maxRunning) {

    public static final int MAX_INPUT_BYTES = 1 << 20;

    /** Values one attempt may keep with {@link TurnContext#remember}. */
    public static final int MAX_REMEMBERED = 64;

    /** One such value. */
    public static final int MAX_REMEMBERED_BYTES = 64 << 10;

    /** Longest pause between two tries to commit a finished message. */
    public static final Duration MAX_COMMIT_BACKOFF = Duration.ofSeconds(30);

    public static final Duration FIRST_COMMIT_BACKOFF = Duration.ofMillis(100);

    /** Longest window of {@link Submit.Debounce}. */
    public static final Duration MAX_DEBOUNCE = Duration.ofHours(1);

    public static final Duration DEFAULT_DEBOUNCE = Duration.ofMillis(750);

    public static final int DEFAULT_MAX_WAITING = 64;
    public static final int DEFAULT_MAX_NESTED = 64;
    public static final long DEFAULT_MAX_CHUNKS = 1_000_000;
    public static final long DEFAULT_MAX_BYTES = 256L << 20;
    public static final int DEFAULT_MAX_RUNNING = 100_000;

    /** The most that {@link #maxWaiting} may be: all of them end in one commit when the queue is cleared. */
    public static final int MAX_WAITING = 1000;

    /** How long a stop of a turn that is not there yet is kept for it. */
    public static final Duration STOP_AHEAD_LIFE = Duration.ofMinutes(10);

    /** Stops that one session keeps for turns that are not there yet. */
    public static final int MAX_STOPS_AHEAD = 64;

    /** Answers that are kept for a turn that still streams. */
    public static final int MAX_KEPT_ANSWERS = 64;

    /** How long an answer is kept for a turn that still streams. */
    public static final Duration KEPT_ANSWER_LIFE = Duration.ofDays(1);

    /** How often an answer is applied anew because the message changed meanwhile. */
    public static final int MAX_ANSWER_TRIES = 1000;

    public TurnLimits {
        if (maxAttempts < 1 || maxWaiting < 0 || maxWaiting > MAX_WAITING || maxNested < 0) {
            throw new IllegalArgumentException(
                    "maxAttempts is at least 1, maxWaiting 0 to " + MAX_WAITING + ", maxNested at least 0");
        }
        if (maxChunks < 1 || maxBytes < 1 || maxRunning < 1) {
            throw new IllegalArgumentException("maxChunks, maxBytes and maxRunning are at least 1");
        }
    }

    /** With the defaults of everything else. */
    public TurnLimits(int maxAttempts, Duration maxWithoutProgress, Duration stopGrace, Duration drainGrace) {
        this(
                maxAttempts,
                maxWithoutProgress,
                stopGrace,
                drainGrace,
                DEFAULT_MAX_WAITING,
                DEFAULT_MAX_NESTED,
                DEFAULT_MAX_CHUNKS,
                DEFAULT_MAX_BYTES,
                DEFAULT_MAX_RUNNING);
    }

    public static TurnLimits defaults() {
        return new TurnLimits(10, Duration.ofMinutes(5), Duration.ofSeconds(5), Duration.ofSeconds(10));
    }

    public TurnLimits withMaxWaiting(int turns) {
        return new TurnLimits(
                maxAttempts,
                maxWithoutProgress,
                stopGrace,
                drainGrace,
                turns,
                maxNested,
                maxChunks,
                maxBytes,
                maxRunning);
    }

    public TurnLimits withMaxNested(int turns) {
        return new TurnLimits(
                maxAttempts,
                maxWithoutProgress,
                stopGrace,
                drainGrace,
                maxWaiting,
                turns,
                maxChunks,
                maxBytes,
                maxRunning);
    }

    public TurnLimits withMaxChunks(long chunks) {
        return new TurnLimits(
                maxAttempts,
                maxWithoutProgress,
                stopGrace,
                drainGrace,
                maxWaiting,
                maxNested,
                chunks,
                maxBytes,
                maxRunning);
    }

    public TurnLimits withMaxBytes(long bytes) {
        return new TurnLimits(
                maxAttempts,
                maxWithoutProgress,
                stopGrace,
                drainGrace,
                maxWaiting,
                maxNested,
                maxChunks,
                bytes,
                maxRunning);
    }

    public TurnLimits withMaxRunning(int turns) {
        return new TurnLimits(
                maxAttempts,
                maxWithoutProgress,
                stopGrace,
                drainGrace,
                maxWaiting,
                maxNested,
                maxChunks,
                maxBytes,
                turns);
    }
}
