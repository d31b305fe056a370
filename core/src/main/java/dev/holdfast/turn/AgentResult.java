package dev.holdfast.turn;

/** How an agent's run ended, when it ended without an error. */
public sealed interface AgentResult {

    /** The answer is complete. */
    record Completed() implements AgentResult {}

    /**
     * The turn waits for a person or for a client's tool. The message is written with what there is, the stream ends, and the turn
     * costs nothing until {@code Turns.resume} opens a new stream for it.
     *
     * @param reason shown to clients
     */
    record Awaiting(String reason) implements AgentResult {}

    static AgentResult completed() {
        return new Completed();
    }

    static AgentResult awaiting(String reason) {
        return new Awaiting(reason);
    }
}
