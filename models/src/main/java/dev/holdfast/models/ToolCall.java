package dev.holdfast.models;

import dev.holdfast.turn.TurnContext;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import tools.jackson.databind.JsonNode;

/** One call of a tool that the server runs. Thread-safe; each call is equal to itself only. */
public final class ToolCall {

    private final TurnContext turn;
    private final String id;
    private final String toolName;
    private final JsonNode input;
    private final String idempotencyKey;
    private volatile boolean timedOut;

    public ToolCall(TurnContext turn, String id, String toolName, JsonNode input, String idempotencyKey) {
        this.turn = turn;
        this.id = id;
        this.toolName = toolName;
        this.input = input;
        this.idempotencyKey = idempotencyKey;
    }

    /** The turn that the model answers in; a tool that runs another agent nests its turn in this one. A tool emits nothing itself. */
    public TurnContext turn() {
        return turn;
    }

    /** The call's id, as the model's provider gave it. */
    public String id() {
        return id;
    }

    /** The tool. */
    public String toolName() {
        return toolName;
    }

    /** What the model gave, an object unless the model erred; shared, do not change it. */
    public JsonNode input() {
        return input;
    }

    /**
     * Names this call and no other, also when it is run again after a crash: session, turn and id of the call. A side effect that is done once per
     * key is done exactly once.
     */
    public String idempotencyKey() {
        return idempotencyKey;
    }

    /**
     * Whether the tool's time is over and the call has ended with an error. An interrupt of a call for which this does not hold has another cause:
     * its turn was stopped, or is given up by this process, or has ended without the call's result; {@link #turn} tells which.
     */
    public boolean isTimedOut() {
        return timedOut;
    }

    /** Before the call is interrupted for it. */
    void timeOut() {
        timedOut = true;
    }

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

    @Override
    public String toString() {
        return "ToolCall[" + idempotencyKey + " of " + toolName + "]";
    }
}
