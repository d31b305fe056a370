package dev.holdfast.turn;

import java.time.Duration;
import java.util.function.Predicate;

/**
 * How turns are taken up again. How often and for how long without progress is said by {@link TurnLimits}.
 *
 * @param stallTimeout how long a running turn, with all it nests, may emit nothing before its agent is given up and the turn recovered; zero for as
 *     long as it likes
 * @param maxWork chunks that a turn may emit, over all attempts, from its first recovery on; {@link Long#MAX_VALUE} for any number
 * @param wakeDebounce process losses within this time of the last one that counted are one attempt
 * @param keepRecovering asked before each attempt from the second on: false ends the turn. One that throws counts as true
 */
public record RecoverySettings(
        Duration stallTimeout, long maxWork, Duration wakeDebounce, Predicate<Incident> keepRecovering) {

    public static final long DEFAULT_MAX_WORK = 100_000;

    public static final Duration DEFAULT_WAKE_DEBOUNCE = Duration.ofSeconds(30);

    /** Pause before the second attempt after a failure of the agent; it doubles up to {@link #MAX_PAUSE}. */
    public static final Duration FIRST_PAUSE = Duration.ofMillis(500);

    public static final Duration MAX_PAUSE = Duration.ofSeconds(30);

    /** How long an incident is kept after its last change. */
    public static final Duration INCIDENT_LIFE = Duration.ofDays(1);

    /** Incidents of one session that are listed, at most. */
    public static final int MAX_INCIDENTS_LISTED = 1000;

    public RecoverySettings {
        if (stallTimeout.isNegative() || wakeDebounce.isNegative() || maxWork < 0) {
            throw new IllegalArgumentException("times and work are not negative");
        }
    }

    /** No stall timeout, {@value #DEFAULT_MAX_WORK} chunks, wakes within 30 s count once, no predicate. */
    public static RecoverySettings defaults() {
        return new RecoverySettings(Duration.ZERO, DEFAULT_MAX_WORK, DEFAULT_WAKE_DEBOUNCE, incident -> true);
    }

    public RecoverySettings withStallTimeout(Duration timeout) {
        return new RecoverySettings(timeout, maxWork, wakeDebounce, keepRecovering);
    }

    public RecoverySettings withMaxWork(long chunks) {
        return new RecoverySettings(stallTimeout, chunks, wakeDebounce, keepRecovering);
    }

    public RecoverySettings withWakeDebounce(Duration within) {
        return new RecoverySettings(stallTimeout, maxWork, within, keepRecovering);
    }

    public RecoverySettings whileTrue(Predicate<Incident> keep) {
        return new RecoverySettings(stallTimeout, maxWork, wakeDebounce, keep);
    }
}
