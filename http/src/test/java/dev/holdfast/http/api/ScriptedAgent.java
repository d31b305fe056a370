package dev.holdfast.http.api;

import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnContext;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;

/** An agent that writes a few words at once and then waits for the test's permission to end. */
final class ScriptedAgent implements Agent {

    static final List<String> WORDS = List.of("one ", "two ", "three");

    private final Semaphore mayEnd = new Semaphore(0);
    private final boolean asks;

    /**
     * @param asks whether its first run ends with a question
     */
    ScriptedAgent(boolean asks) {
        this.asks = asks;
    }

    void end() {
        mayEnd.release();
    }

    @Override
    public Recovery recover(LostTurn turn) {
        return Recovery.RETRY;
    }

    @Override
    public AgentResult run(TurnContext turn) throws InterruptedException {
        chunks(turn.messageId()).forEach(turn::emit);
        mayEnd.acquire();
        return asks && turn.written().isEmpty() ? AgentResult.awaiting("a question") : AgentResult.completed();
    }

    static List<String> chunks(String messageId) {
        List<String> chunks = new ArrayList<>();
        chunks.add("{\"type\":\"start\",\"messageId\":\"" + messageId + "\"}");
        chunks.add("{\"type\":\"text-start\",\"id\":\"t\"}");
        WORDS.forEach(word -> chunks.add("{\"type\":\"text-delta\",\"id\":\"t\",\"delta\":\"" + word + "\"}"));
        chunks.add("{\"type\":\"text-end\",\"id\":\"t\"}");
        chunks.add("{\"type\":\"finish\"}");
        return chunks;
    }
}
