package dev.holdfast.models;

import dev.holdfast.uimessage.UiMessage;
import dev.holdfast.uimessage.UiPart;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * One message of the assistant as content blocks, as the API gave them: the blocks of each step in their order, then the results of its calls in the user's
 * name. The result of a call that the provider ran stands where it came, which may be in a later step than the call.
 *
 * <p>Thinking without a signature of this API, and calls that another provider ran, are left out.
 */
final class AnthropicHistory {

    private final Function<String, ArrayNode> blocks;
    /** Calls of the step whose results are the user's. */
    private final List<UiPart.Tool> calls = new ArrayList<>();
    /** Calls that the provider ran, whose results came in a later step. */
    private final List<UiPart.Tool> late = new ArrayList<>();

    /** Ids of calls that the provider did not finish: the API refuses a call of its own tools without a result. */
    private final Set<String> unfinished = new HashSet<>();

    private int step;
    private boolean afterText;

    /** @param blocks gives the content to add to, by role */
    AnthropicHistory(Function<String, ArrayNode> blocks) {
        this.blocks = blocks;
    }

    void add(UiMessage message) {
        for (UiPart part : message.parts()) {
            switch (part) {
                case UiPart.StepStart start -> beginStep();
                case UiPart.Text text -> addText(text);
                case UiPart.Reasoning reasoning -> addThinking(reasoning);
                case UiPart.Tool tool when ServerTools.isOfProvider(tool) -> addOfProvider(tool);
                case UiPart.Tool tool -> addCall(tool);
                default -> {
                    continue;
                }
            }
            afterText = part instanceof UiPart.Text;
        }
        endStep();
        late.forEach(this::addResult);
        late.clear();
    }

    private void beginStep() {
        endStep();
        step++;
        List<UiPart.Tool> now =
                late.stream().filter(call -> stepOfResult(call) <= step).toList();
        now.forEach(this::addResult);
        late.removeAll(now);
    }

    private void endStep() {
        for (UiPart.Tool call : calls) {
            ObjectNode result = blocks.apply("user").addObject();
            result.put("type", "tool_result").put("tool_use_id", call.toolCallId());
            result.put("content", Conversation.result(call));
            if (!call.state().equals("output-available")) {
                result.put("is_error", true);
            }
        }
        calls.clear();
    }

    /** The API refuses texts of blanks alone, though it gives them out: they join the text before. */
    private void addText(UiPart.Text text) {
        ArrayNode content = blocks.apply("assistant");
        if (!text.text().isBlank()) {
            ObjectNode block = content.addObject().put("type", "text").put("text", text.text());
            JsonNode citations = own(text, "providerMetadata").path("citations");
            if (!citations.isEmpty()) {
                block.set("citations", citations);
            }
        } else if (afterText && !content.isEmpty() && content.get(content.size() - 1) instanceof ObjectNode before) {
            before.put("text", ModelJson.textOrEmpty(before, "text") + text.text());
        }
    }

    private void addThinking(UiPart.Reasoning reasoning) {
        JsonNode own = own(reasoning, "providerMetadata");
        String signature = ModelJson.text(own, "signature");
        String redacted = ModelJson.text(own, "redactedData");
        if (signature != null) {
            blocks.apply("assistant")
                    .addObject()
                    .put("type", "thinking")
                    .put("thinking", reasoning.text())
                    .put("signature", signature);
        } else if (redacted != null) {
            blocks.apply("assistant")
                    .addObject()
                    .put("type", "redacted_thinking")
                    .put("data", redacted);
        }
    }

    private void addCall(UiPart.Tool call) {
        addUse(call, "tool_use");
        calls.add(call);
    }

    private void addOfProvider(UiPart.Tool call) {
        String type = ModelJson.text(own(call, "callProviderMetadata"), "type");
        boolean cutOff =
                call.isSettled() && !own(call, "resultProviderMetadata").has("type");
        if (type == null || cutOff) {
            unfinished.add(call.toolCallId());
            return;
        }
        addUse(call, type);
        if (stepOfResult(call) > step) {
            late.add(call);
        } else {
            addResult(call);
        }
    }

    private void addUse(UiPart.Tool call, String type) {
        ObjectNode use = blocks.apply("assistant").addObject();
        use.put("type", type).put("id", call.toolCallId()).put("name", call.toolName());
        use.set("input", ModelJson.read(Conversation.arguments(call)).orElseGet(ModelJson::object));
        JsonNode own = own(call, "callProviderMetadata");
        if (!unfinished.contains(own.at("/caller/tool_id").asString(""))) {
            copy(own, "caller", use, "caller");
        }
        copy(own, "serverName", use, "server_name");
    }

    private void addResult(UiPart.Tool call) {
        JsonNode own = own(call, "resultProviderMetadata");
        String type = ModelJson.text(own, "type");
        JsonNode content =
                own.has("content") ? own.get("content") : call.output().orElse(null);
        if (type == null || content == null) {
            return; // still running at the provider
        }
        ObjectNode result = blocks.apply("assistant").addObject();
        result.put("type", type).put("tool_use_id", call.toolCallId());
        if (type.equals("mcp_tool_result") && call.state().equals("output-error")) {
            result.put("is_error", true);
        }
        result.set("content", content);
        copy(own, "caller", result, "caller");
    }

    private static int stepOfResult(UiPart.Tool call) {
        return own(call, "resultProviderMetadata").path("step").asInt(0);
    }

    private static JsonNode own(UiPart part, String field) {
        return part.value(field)
                .map(metadata -> metadata.path(AnthropicTools.OWN))
                .orElseGet(ModelJson::object);
    }

    private static void copy(JsonNode from, String field, ObjectNode to, String name) {
        @Nullable JsonNode value = from.get(field);
        if (value != null && !value.isNull()) {
            to.set(name, value);
        }
    }
}
