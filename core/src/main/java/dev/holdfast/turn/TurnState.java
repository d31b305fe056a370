package dev.holdfast.turn;

/** Where a turn is in its life. It ends in exactly one of the four outcomes (ONE-OUTCOME), for good. */
public enum TurnState {
    /** It waits in its session's queue: it is durable with its message, has no stream yet, and costs nothing. */
    ACCEPTED,
    /** Its agent runs, or will be taken up again after a crash. */
    STREAMING,
    /** It waits for a person or for a client's tool; its message so far is written, and it costs nothing. */
    AWAITING,
    /** Outcome: the agent finished. */
    COMPLETED,
    /** Outcome: someone asked for a stop; the partial is kept. */
    STOPPED,
    /** Outcome: the agent failed; the partial is kept. */
    FAILED,
    /** Outcome: the process was lost and the turn was not taken up again; the partial is kept. */
    INTERRUPTED;

    /** Whether the turn has no outcome yet. */
    public boolean isLive() {
        return this == ACCEPTED || this == STREAMING || this == AWAITING;
    }

    /** Whether this is one of the four outcomes. */
    public boolean isOutcome() {
        return !isLive();
    }
}
