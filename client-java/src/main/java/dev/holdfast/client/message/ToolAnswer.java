package dev.holdfast.client.message;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** The answer to one tool call: its output, its error, or whether it may run. Immutable. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ToolAnswer(
        String toolCallId,
        @Nullable JsonNode output,
        @Nullable String error,
        @Nullable Boolean approved,
        @Nullable String reason) {

    public ToolAnswer {
        Objects.requireNonNull(toolCallId, "toolCallId");
    }

    /** What the tool said. */
    public static ToolAnswer output(String toolCallId, JsonNode output) {
        return new ToolAnswer(toolCallId, Objects.requireNonNull(output, "output"), null, null, null);
    }

    /** Why the tool failed. */
    public static ToolAnswer error(String toolCallId, String error) {
        return new ToolAnswer(toolCallId, null, Objects.requireNonNull(error, "error"), null, null);
    }

    /** The tool may run. */
    public static ToolAnswer approve(String toolCallId) {
        return new ToolAnswer(toolCallId, null, null, true, null);
    }

    /** The tool may not run. */
    public static ToolAnswer deny(String toolCallId, @Nullable String reason) {
        return new ToolAnswer(toolCallId, null, null, false, reason);
    }
}
