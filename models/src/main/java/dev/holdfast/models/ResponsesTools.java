package dev.holdfast.models;

import dev.holdfast.uimessage.ToolTraits;
import dev.holdfast.uimessage.UiChunk;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The tool calls of a response. Functions and other calls that the caller has to run are given out with their input; calls that the provider runs
 * (MCP, web search, file search, code interpreter) with input and result, marked so that no client runs them again.
 */
final class ResponsesTools {

    /** Calls that the caller has to run, beside functions. */
    private static final Set<String> OF_CALLER = Set.of(
            "function_call", "custom_tool_call", "computer_call", "local_shell_call", "shell_call", "apply_patch_call");

    private record Call(String id, String name, ToolTraits traits) {}

    private final Map<String, Call> byItem = new HashMap<>();
    private final Set<String> announced = new HashSet<>();
    private final Set<String> unanswered = new HashSet<>();

    /** Learns from a chunk that was emitted. */
    void note(UiChunk chunk) {
        switch (chunk) {
            case UiChunk.ToolInputStart c ->
                byItem.put(item(c.traits(), c.toolCallId()), new Call(c.toolCallId(), c.toolName(), c.traits()));
            case UiChunk.ToolInputAvailable c -> noteInput(c.toolCallId(), c.traits());
            case UiChunk.ToolInputError c -> announced.add(c.toolCallId());
            default -> {}
        }
    }

    /** Whether there are calls whose results the caller has to give. */
    boolean awaitsResults() {
        return !unanswered.isEmpty();
    }

    void begin(JsonNode item, List<UiChunk> out) {
        String type = ModelJson.textOrEmpty(item, "type");
        if (!isCall(type)) {
            return;
        }
        if (byItem.size() == ModelLimits.MAX_TOOL_CALLS) {
            throw new ProviderException.Malformed(
                    "The provider sent more than %d tool calls in one answer.".formatted(ModelLimits.MAX_TOOL_CALLS));
        }
        String itemId = ModelJson.textOrEmpty(item, "id");
        Call call = OF_CALLER.contains(type)
                ? new Call(callId(item, itemId), name(item, type), ofItem(itemId, false))
                : new Call(itemId, name(item, type), ofItem(itemId, true));
        if (byItem.putIfAbsent(itemId, call) == null) {
            out.add(new UiChunk.ToolInputStart(call.id(), call.name(), call.traits()));
        }
    }

    void input(JsonNode json, List<UiChunk> out) {
        Call call = byItem.get(ModelJson.textOrEmpty(json, "item_id"));
        String delta = ModelJson.textOrEmpty(json, "delta");
        if (call != null && !delta.isEmpty()) {
            out.add(new UiChunk.ToolInputDelta(call.id(), delta));
        }
    }

    void inputDone(JsonNode json, List<UiChunk> out) {
        Call call = byItem.get(ModelJson.textOrEmpty(json, "item_id"));
        String text = ModelJson.text(json, "arguments");
        if (call != null && text != null) {
            announce(call, text, out);
        }
    }

    void end(JsonNode item, List<UiChunk> out) {
        String type = ModelJson.textOrEmpty(item, "type");
        if (type.equals("mcp_approval_request")) {
            refuseApproval(item, out);
        }
        if (!isCall(type)) {
            return;
        }
        begin(item, out);
        Call call = byItem.get(ModelJson.textOrEmpty(item, "id"));
        if (call == null) {
            return;
        }
        switch (type) {
            case "function_call" -> announce(call, ModelJson.textOrEmpty(item, "arguments"), out);
            case "custom_tool_call" -> announce(call, ModelJson.textNode(ModelJson.textOrEmpty(item, "input")), out);
            case "mcp_call" -> {
                announce(call, ModelJson.textOrEmpty(item, "arguments"), out);
                endMcpCall(call, item, out);
            }
            default -> {
                announce(call, inputOf(item), out);
                if (!OF_CALLER.contains(type)) {
                    out.add(new UiChunk.ToolOutputAvailable(call.id(), outputOf(item), result(call)));
                }
            }
        }
    }

    private void announce(Call call, String text, List<UiChunk> out) {
        if (announced.contains(call.id())) {
            return;
        }
        JsonNode input = ModelJson.read(text.isEmpty() ? "{}" : text).orElse(null);
        if (input != null) {
            announce(call, input, out);
            return;
        }
        announced.add(call.id());
        out.add(new UiChunk.ToolInputError(
                call.id(),
                call.name(),
                ModelJson.textNode(text),
                "The model's input for the tool is not JSON.",
                call.traits()));
    }

    private void announce(Call call, JsonNode input, List<UiChunk> out) {
        if (!announced.contains(call.id())) {
            noteInput(call.id(), call.traits());
            out.add(new UiChunk.ToolInputAvailable(call.id(), call.name(), input, call.traits()));
        }
    }

    private void noteInput(String callId, ToolTraits traits) {
        announced.add(callId);
        if (!ServerTools.isOfProvider(traits)) {
            unanswered.add(callId);
        }
    }

    private static void endMcpCall(Call call, JsonNode item, List<UiChunk> out) {
        JsonNode error = item.path("error");
        if (!error.isMissingNode() && !error.isNull()) {
            String message = error.isString() ? error.stringValue() : ModelJson.text(error, "message");
            out.add(new UiChunk.ToolOutputError(call.id(), message == null ? error.toString() : message, result(call)));
            return;
        }
        ObjectNode output = ModelJson.object();
        output.put("type", "call");
        copy(item, "server_label", output, "serverLabel");
        copy(item, "name", output, "name");
        copy(item, "arguments", output, "arguments");
        copy(item, "output", output, "output");
        out.add(new UiChunk.ToolOutputAvailable(call.id(), output, result(call)));
    }

    private static void refuseApproval(JsonNode item, List<UiChunk> out) {
        String id = ModelJson.textOrEmpty(item, "id");
        ToolTraits traits = ofItem(id, true);
        out.add(new UiChunk.ToolInputError(
                id,
                "mcp." + ModelJson.textOrEmpty(item, "name"),
                ModelJson.textNode(ModelJson.textOrEmpty(item, "arguments")),
                "The MCP server asks for an approval, which cannot be given here. Set require_approval to \"never\".",
                traits));
    }

    private static boolean isCall(String type) {
        return type.endsWith("_call") && !type.equals("image_generation_call");
    }

    private static String name(JsonNode item, String type) {
        String name = ModelJson.textOrEmpty(item, "name");
        return switch (type) {
            case "mcp_call" -> "mcp." + name;
            case "function_call", "custom_tool_call" -> name;
            default -> type.substring(0, type.length() - "_call".length());
        };
    }

    private static String callId(JsonNode item, String itemId) {
        String id = ModelJson.text(item, "call_id");
        return id == null ? itemId : id;
    }

    private static ToolTraits ofItem(String itemId, boolean ofProvider) {
        ObjectNode metadata = ModelJson.object();
        metadata.putObject("openai").put("itemId", itemId);
        return ofProvider
                ? new ToolTraits(true, true, null, metadata, null)
                : new ToolTraits(null, null, null, metadata, null);
    }

    /** What a result says of its call: clients of 5 need to know that it is dynamic. */
    private static ToolTraits result(Call call) {
        return new ToolTraits(call.traits().providerExecuted(), call.traits().dynamic(), null, null, null);
    }

    private static String item(ToolTraits traits, String otherwise) {
        @Nullable JsonNode metadata = traits.providerMetadata();
        return metadata == null ? otherwise : metadata.at("/openai/itemId").asString(otherwise);
    }

    private static JsonNode inputOf(JsonNode item) {
        ObjectNode input = ModelJson.object();
        for (String field : List.of("action", "queries", "code", "container_id", "operation")) {
            copy(item, field, input, field);
        }
        return input;
    }

    private static JsonNode outputOf(JsonNode item) {
        ObjectNode output = ModelJson.object();
        for (String field : List.of("status", "results", "outputs", "action")) {
            copy(item, field, output, field);
        }
        return output;
    }

    private static void copy(JsonNode from, String field, ObjectNode to, String name) {
        JsonNode value = from.get(field);
        if (value != null && !value.isNull()) {
            to.set(name, value);
        }
    }
}
