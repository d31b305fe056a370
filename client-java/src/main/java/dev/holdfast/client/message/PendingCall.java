package dev.holdfast.client.message;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A tool call that waits for an answer.
 *
 * @param approval whether it asks if the tool may run; otherwise it wants the tool's output
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record PendingCall(
        String toolCallId,
        String toolName,
        boolean approval,
        @Nullable JsonNode input) {

    public PendingCall {
        Objects.requireNonNull(toolCallId, "toolCallId");
        Objects.requireNonNull(toolName, "toolName");
    }
}
