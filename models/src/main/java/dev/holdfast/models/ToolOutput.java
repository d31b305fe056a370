package dev.holdfast.models;

import tools.jackson.databind.JsonNode;

/** What a call of a tool came to. At most {@value ModelLimits#MAX_TOOL_OUTPUT_BYTES} bytes as JSON; more becomes an error of the call. */
public sealed interface ToolOutput {

    /** A result, which the model and the readers of the turn get. */
    record Value(JsonNode json) implements ToolOutput {}

    /** An error, which the model and the readers of the turn get; the turn goes on. */
    record Failure(String message) implements ToolOutput {}

    static ToolOutput text(String text) {
        return new Value(ModelJson.textNode(text));
    }

    static ToolOutput json(JsonNode value) {
        return new Value(value);
    }

    /** A result given as JSON text; text that is not JSON stays text. */
    static ToolOutput parsed(String text) {
        return new Value(ModelJson.read(text).orElseGet(() -> ModelJson.textNode(text)));
    }

    static ToolOutput failure(String message) {
        return new Failure(message);
    }
}
