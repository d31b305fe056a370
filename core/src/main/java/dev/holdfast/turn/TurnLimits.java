package dev.holdfast.turn;

import java.time.Duration;

/**
 * The named limits of turns.
 *
 * @param maxAttempts how often an agent is started for a turn without progress in between; then the turn ends as interrupted
 * @param maxWithoutProgress how long a turn is taken up again without progress; then it ends as interrupted
 * @param stopGrace how long a stopped agent may take to return before the turn ends without it
 * @param drainGrace how long running turns may go on when the process is asked to end
 */
public record TurnLimits(int maxAttempts, Duration maxWithoutProgress, Duration stopGrace, Duration drainGrace) {

    public static final int MAX_INPUT_BYTES = 1 << 20;

    /** Values one attempt may keep with {@link TurnContext#remember}. */
    public static final int MAX_REMEMBERED = 64;

    /** Longest pause between two tries to commit a finished message. */
    public static final Duration MAX_COMMIT_BACKOFF = Duration.ofSeconds(30);

    public static final Duration FIRST_COMMIT_BACKOFF = Duration.ofMillis(100);

    /** Turns that run at once in one process. */
    public static final int MAX_RUNNING = 100_000;

    public static TurnLimits defaults() {
        return new TurnLimits(10, Duration.ofMinutes(5), Duration.ofSeconds(5), Duration.ofSeconds(10));
    }
}
