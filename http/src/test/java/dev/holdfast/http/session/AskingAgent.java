package dev.holdfast.http.session;

import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnContext;

/** An agent that asks whether it may delete something, and says that it is done once someone decided. */
final class AskingAgent implements Agent {

    @Override
    public AgentResult run(TurnContext turn) {
        if (turn.written().isPresent()) {
            turn.emit("{\"type\":\"text-start\",\"id\":\"t\"}");
            turn.emit("{\"type\":\"text-delta\",\"id\":\"t\",\"delta\":\"done\"}");
            turn.emit("{\"type\":\"text-end\",\"id\":\"t\"}");
            return AgentResult.completed();
        }
        turn.emit(
                "{\"type\":\"tool-input-available\",\"toolCallId\":\"c1\",\"toolName\":\"delete\",\"input\":{\"path\":\"/\"}}");
        turn.emit("{\"type\":\"tool-approval-request\",\"approvalId\":\"a1\",\"toolCallId\":\"c1\"}");
        return AgentResult.awaiting("answers");
    }
}
