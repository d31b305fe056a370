package dev.holdfast.http.session;

import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnContext;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** An agent that emits what the test tells it to, and ends when the test says so. */
final class LinedAgent implements Agent {

    private static final String END = "end";

    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

    /** Lets it emit something. */
    void emit(String chunk) {
        lines.add(chunk);
    }

    void end() {
        lines.add(END);
    }

    @Override
    public Recovery recover(LostTurn turn) {
        return Recovery.RETRY;
    }

    @Override
    public AgentResult run(TurnContext turn) throws InterruptedException {
        turn.emit("{\"type\":\"start\",\"messageId\":\"" + turn.messageId() + "\"}");
        turn.emit("{\"type\":\"text-start\",\"id\":\"t\"}");
        for (String line = lines.take(); !line.equals(END); line = lines.take()) {
            turn.emit(line);
        }
        turn.emit("{\"type\":\"text-end\",\"id\":\"t\"}");
        turn.emit("{\"type\":\"finish\"}");
        return AgentResult.completed();
    }
}
