package dev.holdfast.models;

import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnContext;
import java.util.concurrent.CompletableFuture;

/** Runs agents as the engine does: each on a thread of its own. */
final class AgentRuns {

    private AgentRuns() {}

    static CompletableFuture<AgentResult> start(Agent agent, TurnContext turn) {
        CompletableFuture<AgentResult> result = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                result.complete(agent.run(turn));
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        });
        return result;
    }
}
