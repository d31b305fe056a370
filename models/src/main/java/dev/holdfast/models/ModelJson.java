package dev.holdfast.models;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Bounded reading of what providers send, and the JSON of what is sent to them. */
final class ModelJson {

    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(ModelLimits.MAX_NESTING_DEPTH)
                            .maxStringLength(ModelLimits.MAX_EVENT_BYTES)
                            .maxDocumentLength(ModelLimits.MAX_EVENT_BYTES)
                            .build())
                    .build())
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private ModelJson() {}

    static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    static ArrayNode array() {
        return MAPPER.createArrayNode();
    }

    static JsonNode textNode(String text) {
        return MAPPER.getNodeFactory().stringNode(text);
    }

    static ObjectNode event(byte[] json) {
        JsonNode node;
        try {
            node = MAPPER.readTree(json);
        } catch (JacksonException e) {
            throw new ProviderException.Malformed(
                    "The provider sent an event that is not JSON: " + e.getOriginalMessage(), e);
        }
        if (node instanceof ObjectNode object) {
            return object;
        }
        throw new ProviderException.Malformed("The provider sent an event that is not a JSON object.");
    }

    /** The value of a JSON text, or empty if it is not one. */
    static Optional<JsonNode> read(String json) {
        try {
            JsonNode node = json.isBlank() ? null : MAPPER.readTree(json);
            return node == null || node.isMissingNode() ? Optional.empty() : Optional.of(node);
        } catch (JacksonException e) {
            return Optional.empty();
        }
    }

    static byte[] bytes(JsonNode node) {
        return MAPPER.writeValueAsBytes(node);
    }

    /** The text of a field, or null if there is none. */
    static @Nullable String text(JsonNode node, String field) {
        JsonNode value = node.get(field);
        return value != null && value.isString() ? value.stringValue() : null;
    }

    /** The text of a field, or empty text. */
    static String textOrEmpty(JsonNode node, String field) {
        String text = text(node, field);
        return text == null ? "" : text;
    }
}
