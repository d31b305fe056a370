package dev.holdfast.models;

import dev.holdfast.uimessage.ToolTraits;
import dev.holdfast.uimessage.UiChunk;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The tool calls of a message. Calls of the caller's tools are given out with their input; calls that the provider runs (web search, web fetch, code
 * execution, MCP) with input and result, marked so that no client runs them again. A result is kept as it came, since the model gets it back.
 */
final class AnthropicTools {

    /** The name under which the parts keep what the API wants back. */
    static final String OWN = "anthropic";

    private static final String RESULT_SUFFIX = "_tool_result";

    /**
     * A call whose input is coming.
     *
     * @param prepared the input that came with its beginning
     */
    record Call(
            String id,
            String name,
            ToolTraits traits,
            @Nullable JsonNode prepared) {}

    private final int stepNumber;
    private final Map<String, Call> calls = new HashMap<>();

    AnthropicTools(int stepNumber) {
        this.stepNumber = stepNumber;
    }

    int stepNumber() {
        return stepNumber;
    }

    /** The call that a content block begins, or null if it is none. */
    @Nullable
    Call begin(JsonNode block, List<UiChunk> out) {
        String type = ModelJson.textOrEmpty(block, "type");
        boolean ofCaller = type.equals("tool_use");
        if (!ofCaller && !type.equals("server_tool_use") && !type.equals("mcp_tool_use")) {
            return null;
        }
        if (calls.size() == ModelLimits.MAX_TOOL_CALLS) {
            throw new ProviderException.Malformed(
                    "The provider sent more than %d tool calls in one answer.".formatted(ModelLimits.MAX_TOOL_CALLS));
        }
        ObjectNode own = ModelJson.object();
        if (!ofCaller) {
            own.put("type", type);
        }
        copy(block, "caller", own, "caller");
        copy(block, "server_name", own, "serverName");
        JsonNode metadata = own.isEmpty() ? null : metadata(own);
        ToolTraits traits = ofCaller
                ? new ToolTraits(null, null, null, metadata, null)
                : new ToolTraits(true, true, null, metadata, null);
        JsonNode input = block.get("input");
        Call call = new Call(
                ModelJson.textOrEmpty(block, "id"),
                ModelJson.textOrEmpty(block, "name"),
                traits,
                input == null || input.isEmpty() ? null : input);
        calls.put(call.id(), call);
        out.add(new UiChunk.ToolInputStart(call.id(), call.name(), call.traits()));
        return call;
    }

    static void announce(Call call, String text, List<UiChunk> out) {
        JsonNode input = text.isBlank()
                ? call.prepared() == null ? ModelJson.object() : call.prepared()
                : ModelJson.read(text).orElse(null);
        out.add(
                input != null
                        ? new UiChunk.ToolInputAvailable(call.id(), call.name(), input, call.traits())
                        : new UiChunk.ToolInputError(
                                call.id(),
                                call.name(),
                                ModelJson.textNode(text),
                                "The model's input for the tool is not JSON.",
                                call.traits()));
    }

    /** The result that a content block is, if it is one: of a call of this answer, or of an earlier one of the turn. */
    void result(JsonNode block, List<UiChunk> out) {
        String type = ModelJson.textOrEmpty(block, "type");
        String id = ModelJson.textOrEmpty(block, "tool_use_id");
        if (!type.endsWith(RESULT_SUFFIX) || id.isEmpty()) {
            return;
        }
        JsonNode content = block.path("content");
        ObjectNode own = ModelJson.object();
        own.put("type", type);
        own.put("step", stepNumber);
        copy(block, "caller", own, "caller");
        boolean isError = ModelJson.textOrEmpty(content, "type").endsWith("_error")
                || block.path("is_error").asBoolean(false);
        if (!isError) {
            out.add(new UiChunk.ToolOutputAvailable(id, content, ofResult(own)));
            return;
        }
        own.set("content", content);
        String code = ModelJson.text(content, "error_code");
        out.add(new UiChunk.ToolOutputError(id, code == null ? content.toString() : code, ofResult(own)));
    }

    static ObjectNode metadata(ObjectNode own) {
        ObjectNode metadata = ModelJson.object();
        metadata.set(OWN, own);
        return metadata;
    }

    /** Clients of 5 need to know that a call is dynamic to find it. */
    private static ToolTraits ofResult(ObjectNode own) {
        return new ToolTraits(true, true, null, metadata(own), null);
    }

    private static void copy(JsonNode from, String field, ObjectNode to, String name) {
        JsonNode value = from.get(field);
        if (value != null && !value.isNull()) {
            to.set(name, value);
        }
    }
}
