package dev.holdfast.uimessage;

import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.turn.ToolAnswer;
import dev.holdfast.turn.ToolAnswers;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes answers into AI SDK messages, as {@code addToolOutput} and {@code addToolApprovalResponse} of its clients do.
 *
 * <p>A message waits for each call that asks for an approval, and for each call whose input is there and that neither the provider nor anyone
 * else has answered. An approved or denied call waits no more: whoever runs the tool goes on from there. Thread-safe.
 */
public final class UiToolAnswers implements ToolAnswers {

    /**
     * @throws InvalidUiJson if the message is none
     * @throws InvalidArgument if an output is not JSON
     */
    @Override
    public Applied apply(byte[] message, ToolAnswer answer) {
        UiMessage parsed = UiMessage.parse(message);
        Optional<UiPart.Tool> call = parsed.parts().reversed().stream()
                .filter(UiPart.Tool.class::isInstance)
                .map(UiPart.Tool.class::cast)
                .filter(tool -> tool.toolCallId().equals(answer.toolCallId()))
                .findFirst();
        if (call.isEmpty()) {
            return new Applied.Unknown();
        }
        Applied refusal = switch (answer) {
            case ToolAnswer.Output output -> settle(call.get(), "output-available", "output", json(output));
            case ToolAnswer.Failure failure ->
                settle(call.get(), "output-error", "errorText", UiJson.text(failure.error()));
            case ToolAnswer.Approval approval -> decide(call.get(), approval);
        };
        return refusal != null ? refusal : new Applied.Changed(parsed.toBytes(), isSettled(parsed));
    }

    /** Whether nothing in the message waits for an answer from outside. */
    public static boolean isSettled(UiMessage message) {
        return message.parts().stream().noneMatch(part -> part instanceof UiPart.Tool tool && waits(tool));
    }

    /** Whether this call waits for an answer from outside. */
    public static boolean waits(UiPart.Tool call) {
        return switch (call.state()) {
            case "approval-requested" -> true;
            case "input-available" -> !call.isProviderExecuted();
            default -> false;
        };
    }

    private static JsonNode json(ToolAnswer.Output output) {
        JsonNode value = UiJson.tryRead(new String(output.output(), StandardCharsets.UTF_8));
        if (value == null) {
            throw new InvalidArgument("The output of tool call \"%s\" is not JSON.".formatted(output.toolCallId()));
        }
        return value;
    }

    /** Gives the call its result. Returns null if it took it. */
    private static @Nullable Applied settle(UiPart.Tool call, String state, String field, JsonNode value) {
        if (call.isSettled()) {
            return call.state().equals(state) && Objects.equals(call.json().get(field), value)
                    ? new Applied.Same()
                    : new Applied.Contradicts("has another result already (%s)".formatted(call.state()));
        }
        if (call.isProviderExecuted()) {
            return new Applied.Contradicts("is run by the model's provider");
        }
        if (call.state().equals("approval-requested")) {
            return new Applied.Contradicts("waits for an approval first");
        }
        if (call.state().equals("approval-responded")
                && approved(call).filter(yes -> yes).isEmpty()) {
            return new Applied.Contradicts("was denied");
        }
        if (call.state().equals("input-streaming")) {
            return new Applied.Contradicts("has no complete input");
        }
        ObjectNode json = call.json();
        json.put("state", state);
        json.set(field, value);
        json.remove(field.equals("output") ? "errorText" : "output");
        json.remove("preliminary");
        return null;
    }

    /** Writes the decision. Returns null if the call took it. */
    private static @Nullable Applied decide(UiPart.Tool call, ToolAnswer.Approval decision) {
        Optional<Boolean> before = approved(call);
        if (before.isPresent()) {
            return before.get() == decision.approved()
                    ? new Applied.Same()
                    : new Applied.Contradicts(before.get() ? "was approved already" : "was denied already");
        }
        if (!call.state().equals("approval-requested")
                || !(call.json().get("approval") instanceof ObjectNode approval)) {
            return new Applied.Contradicts("asks for no approval");
        }
        approval.put("approved", decision.approved());
        if (decision.reason() != null) {
            approval.put("reason", decision.reason());
        }
        call.json().put("state", "approval-responded");
        return null;
    }

    private static Optional<Boolean> approved(UiPart.Tool call) {
        return call.json().get("approval") instanceof ObjectNode approval
                        && approval.get("approved") != null
                        && approval.get("approved").isBoolean()
                ? Optional.of(approval.get("approved").booleanValue())
                : Optional.empty();
    }
}
