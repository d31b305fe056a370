package dev.holdfast.turn;

import java.time.Instant;

/**
 * The recovery of one turn: opened when the turn first has to be taken up again, gone when it completes or is stopped, and kept for
 * {@link RecoverySettings#INCIDENT_LIFE} when it ends otherwise.
 *
 * @param turnId the turn
 * @param status whether the turn is still being recovered
 * @param cause what happened last
 * @param reason in words: of the last failure or, once given up, of the end
 * @param attempts attempts since the turn last got further than ever before; wakes shortly after one another count once
 * @param work chunks that were emitted since the incident was opened, over all attempts
 * @param openedAt when it was opened
 * @param updatedAt when the turn was last taken up, or given up
 */
public record Incident(
        String turnId,
        Status status,
        Cause cause,
        String reason,
        int attempts,
        long work,
        Instant openedAt,
        Instant updatedAt) {

    /** Whether the turn is still being recovered. */
    public enum Status {
        RECOVERING,
        GIVEN_UP
    }

    /** Why a turn has to be taken up again. */
    public enum Cause {
        /** The process that ran it ended. */
        PROCESS_LOST,
        /** No chunk came for {@link RecoverySettings#stallTimeout}. */
        STALLED,
        /** Its agent failed in a way that {@link Agent#isTransient} says may pass. */
        AGENT_FAILED
    }
}
