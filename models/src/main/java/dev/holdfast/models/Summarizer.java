package dev.holdfast.models;

import dev.holdfast.turn.Agent;
import dev.holdfast.turn.TurnContext;

/** Sums up a part of a conversation. Must be thread-safe. */
@FunctionalInterface
public interface Summarizer {

    /**
     * Sums up.
     *
     * @param turn the turn that waits for it, for its stop; nothing is emitted into it
     * @param transcript what was said, as text; an earlier summary comes first, where there is one
     * @param maxTokens about how long the summary may be
     * @return the summary; blank for none
     * @throws InterruptedException if the turn was stopped
     * @throws Exception if there is none; the conversation then stays as long as it is
     */
    String summarize(TurnContext turn, String transcript, int maxTokens) throws Exception;

    /** Asks an agent, which should be one without tools. */
    static Summarizer by(Agent agent) {
        return new AgentSummarizer(agent);
    }
}
