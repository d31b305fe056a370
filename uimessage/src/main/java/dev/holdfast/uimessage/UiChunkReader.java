package dev.holdfast.uimessage;

import dev.holdfast.uimessage.UiChunk.*;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Takes the fields of one chunk out of its JSON object; what nobody took is extra. */
final class UiChunkReader {

    private static final Set<String> FINISH_REASONS =
            Set.of("stop", "length", "content-filter", "tool-calls", "error", "other", "unknown", "interrupted");

    private final String type;
    private final Map<String, JsonNode> fields;

    private UiChunkReader(String type, Map<String, JsonNode> fields) {
        this.type = type;
        this.fields = fields;
    }

    static UiChunk read(ObjectNode node) {
        Map<String, JsonNode> fields = new LinkedHashMap<>();
        node.properties().forEach(field -> fields.put(field.getKey(), field.getValue()));
        JsonNode type = fields.remove("type");
        if (type == null || !type.isString()) {
            throw new InvalidUiJson("A chunk has no field \"type\" with text.");
        }
        return new UiChunkReader(type.stringValue(), fields).read();
    }

    private UiChunk read() {
        return switch (type) {
            case "start" -> new Start(textOrNull("messageId"), any("messageMetadata"), rest());
            case "finish" -> new Finish(oneOf("finishReason", FINISH_REASONS), any("messageMetadata"), rest());
            case "start-step" -> new StartStep(rest());
            case "finish-step" -> new FinishStep(rest());
            case "reset-step" -> new ResetStep(rest());
            case "text-start" -> new TextStart(text("id"), objectOrNull("providerMetadata"), rest());
            case "text-delta" -> new TextDelta(text("id"), text("delta"), objectOrNull("providerMetadata"), rest());
            case "text-end" -> new TextEnd(text("id"), any("citations"), objectOrNull("providerMetadata"), rest());
            case "reasoning-start" -> new ReasoningStart(text("id"), objectOrNull("providerMetadata"), rest());
            case "reasoning-delta" ->
                new ReasoningDelta(text("id"), text("delta"), objectOrNull("providerMetadata"), rest());
            case "reasoning-end" -> new ReasoningEnd(text("id"), objectOrNull("providerMetadata"), rest());
            case "source-url" ->
                new SourceUrl(
                        text("sourceId"), text("url"), textOrNull("title"), objectOrNull("providerMetadata"), rest());
            case "source-document" ->
                new SourceDocument(
                        text("sourceId"),
                        text("mediaType"),
                        text("title"),
                        textOrNull("filename"),
                        objectOrNull("providerMetadata"),
                        rest());
            case "file" -> new UiChunk.File(text("url"), text("mediaType"), objectOrNull("providerMetadata"), rest());
            case "reasoning-file" ->
                new ReasoningFile(text("url"), text("mediaType"), objectOrNull("providerMetadata"), rest());
            case "custom" -> new Custom(text("kind"), objectOrNull("providerMetadata"), rest());
            case "steering-message" -> new SteeringMessage(text("id"), array("parts"), rest());
            case "message-metadata" -> new MessageMetadata(any("messageMetadata"), rest());
            case "error" -> new UiChunk.StreamError(text("errorText"), rest());
            case "abort" -> new Abort(textOrNull("reason"), rest());
            default -> type.startsWith("tool-") ? readTool() : readOther();
        };
    }

    private UiChunk readTool() {
        return switch (type) {
            case "tool-input-start" ->
                new ToolInputStart(
                        text("toolCallId"),
                        text("toolName"),
                        oneOf("inputEncoding", Set.of("json", "text")),
                        traits(),
                        rest());
            case "tool-input-delta" -> new ToolInputDelta(text("toolCallId"), text("inputTextDelta"), rest());
            case "tool-input-available" ->
                new ToolInputAvailable(text("toolCallId"), text("toolName"), any("input"), traits(), rest());
            case "tool-input-error" ->
                new ToolInputError(
                        text("toolCallId"), text("toolName"), any("input"), text("errorText"), traits(), rest());
            case "tool-output-available" ->
                new ToolOutputAvailable(text("toolCallId"), any("output"), flagOrNull("preliminary"), traits(), rest());
            case "tool-output-error" -> new ToolOutputError(text("toolCallId"), text("errorText"), traits(), rest());
            case "tool-output-denied" -> new ToolOutputDenied(text("toolCallId"), rest());
            case "tool-approval-request" ->
                new ToolApprovalRequest(
                        text("approvalId"),
                        text("toolCallId"),
                        textOrNull("reason"),
                        flagOrNull("isAutomatic"),
                        textOrNull("signature"),
                        any("approvalDescriptor"),
                        any("inputSchemaInput"),
                        rest());
            case "tool-approval-response" ->
                new ToolApprovalResponse(
                        text("approvalId"),
                        flag("approved"),
                        textOrNull("reason"),
                        flagOrNull("providerExecuted"),
                        objectOrNull("providerMetadata"),
                        rest());
            default -> readOther();
        };
    }

    private UiChunk readOther() {
        if (type.startsWith("data-")) {
            return new Data(type, textOrNull("id"), any("data"), flagOrNull("transient"), rest());
        }
        return new Unknown(type, rest());
    }

    private ToolTraits traits() {
        ToolTraits traits = new ToolTraits(
                flagOrNull("providerExecuted"),
                flagOrNull("dynamic"),
                textOrNull("title"),
                objectOrNull("providerMetadata"),
                objectOrNull("toolMetadata"));
        return traits.equals(ToolTraits.NONE) ? ToolTraits.NONE : traits;
    }

    private Map<String, JsonNode> rest() {
        return fields.isEmpty() ? Map.of() : Collections.unmodifiableMap(fields);
    }

    private @Nullable JsonNode any(String name) {
        return fields.remove(name);
    }

    private String text(String name) {
        String value = textOrNull(name);
        if (value == null) {
            throw new InvalidUiJson("A chunk of type \"%s\" needs the field \"%s\".".formatted(type, name));
        }
        return value;
    }

    private @Nullable String textOrNull(String name) {
        JsonNode value = fields.remove(name);
        if (value == null) {
            return null;
        }
        if (!value.isString()) {
            throw wrong(name, "text");
        }
        return value.stringValue();
    }

    private @Nullable String oneOf(String name, Set<String> values) {
        String value = textOrNull(name);
        if (value != null && !values.contains(value)) {
            throw wrong(name, "one of " + values.stream().sorted().toList());
        }
        return value;
    }

    private boolean flag(String name) {
        Boolean value = flagOrNull(name);
        if (value == null) {
            throw wrong(name, "true or false");
        }
        return value;
    }

    private @Nullable Boolean flagOrNull(String name) {
        JsonNode value = fields.remove(name);
        if (value == null) {
            return null;
        }
        if (!value.isBoolean()) {
            throw wrong(name, "true or false");
        }
        return value.booleanValue();
    }

    private @Nullable JsonNode objectOrNull(String name) {
        JsonNode value = fields.remove(name);
        if (value != null && !value.isObject()) {
            throw wrong(name, "an object");
        }
        return value;
    }

    private ArrayNode array(String name) {
        if (fields.remove(name) instanceof ArrayNode value) {
            return value;
        }
        throw wrong(name, "an array");
    }

    private InvalidUiJson wrong(String name, String expected) {
        return new InvalidUiJson(
                "In a chunk of type \"%s\", the field \"%s\" must be %s.".formatted(type, name, expected));
    }
}
