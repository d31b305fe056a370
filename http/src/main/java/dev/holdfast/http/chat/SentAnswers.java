package dev.holdfast.http.chat;

import dev.holdfast.http.Json;
import dev.holdfast.turn.ToolAnswer;
import dev.holdfast.uimessage.UiMessage;
import dev.holdfast.uimessage.UiPart;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.NullNode;

/** Reads the answers to tool calls out of a message that a client sends back: what it says of a call that the stored message does not. */
final class SentAnswers {

    private SentAnswers() {}

    static List<ToolAnswer> of(UiMessage sent, UiMessage stored) {
        List<ToolAnswer> answers = new ArrayList<>();
        for (UiPart part : sent.parts()) {
            if (part instanceof UiPart.Tool call) {
                answer(call, call(stored, call.toolCallId())).ifPresent(answers::add);
            }
        }
        return answers;
    }

    /**
     * How many parts of the stored message the client has. Counted from its last call on, since a client of an earlier major lacks parts that it was
     * not sent.
     */
    static int shared(UiMessage sent, UiMessage stored) {
        List<UiPart> parts = sent.parts();
        for (int i = parts.size() - 1; i >= 0; i--) {
            if (parts.get(i) instanceof UiPart.Tool call) {
                UiPart.Tool same = call(stored, call.toolCallId());
                if (same != null) {
                    return stored.parts().indexOf(same) + parts.size() - i;
                }
            }
        }
        return parts.size();
    }

    private static UiPart.@Nullable Tool call(UiMessage message, String id) {
        return message.parts().reversed().stream()
                .filter(UiPart.Tool.class::isInstance)
                .map(UiPart.Tool.class::cast)
                .filter(call -> call.toolCallId().equals(id))
                .findFirst()
                .orElse(null);
    }

    private static Optional<ToolAnswer> answer(UiPart.Tool sent, UiPart.@Nullable Tool stored) {
        return switch (sent.state()) {
            case "output-available" -> {
                JsonNode output = sent.output().orElse(NullNode.getInstance());
                boolean known = sent.isProviderExecuted() || has(stored, sent.state(), "output", output);
                yield known
                        ? Optional.empty()
                        : Optional.of(new ToolAnswer.Output(sent.toolCallId(), Json.MAPPER.writeValueAsBytes(output)));
            }
            case "output-error" -> {
                String error = sent.errorText().filter(text -> !text.isBlank()).orElse("The tool failed.");
                boolean known = sent.isProviderExecuted() || hasError(stored, error);
                yield known ? Optional.empty() : Optional.of(new ToolAnswer.Failure(sent.toolCallId(), error));
            }
            case "approval-responded" -> {
                Optional<JsonNode> known = Optional.ofNullable(stored).flatMap(SentAnswers::decision);
                yield decision(sent)
                        .filter(decided -> !known.equals(Optional.of(decided)))
                        .map(decided ->
                                new ToolAnswer.Approval(sent.toolCallId(), decided.booleanValue(), reason(sent)));
            }
            default -> Optional.empty();
        };
    }

    private static boolean has(UiPart.@Nullable Tool stored, String state, String field, JsonNode value) {
        return stored != null
                && stored.state().equals(state)
                && Objects.equals(stored.json().get(field), value);
    }

    private static boolean hasError(UiPart.@Nullable Tool stored, String error) {
        return stored != null
                && stored.state().equals("output-error")
                && stored.errorText().filter(error::equals).isPresent();
    }

    private static Optional<JsonNode> decision(UiPart.Tool call) {
        return call.value("approval").map(approval -> approval.get("approved")).filter(JsonNode::isBoolean);
    }

    private static @Nullable String reason(UiPart.Tool call) {
        return call.value("approval")
                .map(approval -> approval.get("reason"))
                .filter(JsonNode::isString)
                .map(JsonNode::stringValue)
                .orElse(null);
    }
}
