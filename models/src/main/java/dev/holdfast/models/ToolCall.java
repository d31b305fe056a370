package dev.holdfast.models;

import dev.holdfast.turn.TurnContext;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import tools.jackson.databind.JsonNode;

/**
 * One call of a tool that the server runs.
 *
 * @param turn the turn that the model answers in; a tool that runs another agent nests its turn in this one. A tool emits nothing itself
 * @param id the call's id, as the model's provider gave it
 * @param toolName the tool
 * @param input what the model gave, an object unless the model erred; shared, do not change it
 * @param idempotencyKey names this call and no other, also when it is run again after a crash: session, turn and id of the call. A side effect that
 *     is done once per key is done exactly once
 */
public record ToolCall(TurnContext turn, String id, String toolName, JsonNode input, String idempotencyKey) {

    /** The input as JSON text. */
    public String arguments() {
        return input.toString();
    }

    /** The call in the words of LangChain4j, for executors of that library. */
    public ToolExecutionRequest request() {
        return ToolExecutionRequest.builder()
                .id(id)
                .name(toolName)
                .arguments(arguments())
                .build();
    }
}
