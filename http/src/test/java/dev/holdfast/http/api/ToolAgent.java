package dev.holdfast.http.api;

import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnContext;

/** An agent that calls a client's tool and one that needs an approval, waits for both, and then says that it is done. */
final class ToolAgent implements Agent {

    @Override
    public AgentResult run(TurnContext turn) {
        if (turn.written().isPresent()) {
            turn.emit("{\"type\":\"text-start\",\"id\":\"t\"}");
            turn.emit("{\"type\":\"text-delta\",\"id\":\"t\",\"delta\":\"done\"}");
            turn.emit("{\"type\":\"text-end\",\"id\":\"t\"}");
            return AgentResult.completed();
        }
        turn.emit("{\"type\":\"tool-input-available\",\"toolCallId\":\"c1\",\"toolName\":\"where\",\"input\":{}}");
        turn.emit("{\"type\":\"tool-input-available\",\"toolCallId\":\"c2\",\"toolName\":\"delete\",\"input\":{}}");
        turn.emit("{\"type\":\"tool-approval-request\",\"approvalId\":\"a2\",\"toolCallId\":\"c2\"}");
        return AgentResult.awaiting("answers");
    }
}
