package dev.holdfast.uimessage;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/**
 * Bounded reading and exact writing of JSON. Decimal numbers keep their digits: a tool's output passes through unchanged.
 */
final class UiJson {

    private static final JsonMapper CHUNKS = mapper(UiLimits.MAX_CHUNK_BYTES);
    private static final JsonMapper MESSAGES = mapper(UiLimits.MAX_MESSAGE_BYTES);

    private UiJson() {}

    static ObjectNode object() {
        return CHUNKS.createObjectNode();
    }

    static JsonNode text(String value) {
        return StringNode.valueOf(value);
    }

    static ObjectNode readChunk(byte[] json) {
        return read(CHUNKS, json, "chunk", UiLimits.MAX_CHUNK_BYTES);
    }

    static ObjectNode readMessage(byte[] json) {
        return read(MESSAGES, json, "message", UiLimits.MAX_MESSAGE_BYTES);
    }

    /** The value of a complete JSON text, or null when it is not one. */
    static @Nullable JsonNode tryRead(String json) {
        if (json.isBlank()) {
            return null;
        }
        try {
            return MESSAGES.readTree(json);
        } catch (JacksonException e) {
            return null;
        }
    }

    static byte[] write(JsonNode node) {
        return CHUNKS.writeValueAsBytes(node);
    }

    private static ObjectNode read(JsonMapper mapper, byte[] json, String what, int maxBytes) {
        if (json.length > maxBytes) {
            throw new InvalidUiJson("A %s has %d bytes, at most %d are read.".formatted(what, json.length, maxBytes));
        }
        JsonNode node;
        try {
            node = mapper.readTree(json);
        } catch (JacksonException e) {
            throw new InvalidUiJson("A %s is not JSON: %s".formatted(what, e.getOriginalMessage()), e);
        }
        if (node instanceof ObjectNode object) {
            return object;
        }
        throw new InvalidUiJson("A %s must be a JSON object, but starts with: %s".formatted(what, start(json)));
    }

    private static String start(byte[] json) {
        return new String(Arrays.copyOf(json, Math.min(json.length, 20)), StandardCharsets.UTF_8);
    }

    private static JsonMapper mapper(int maxBytes) {
        StreamReadConstraints limits = StreamReadConstraints.builder()
                .maxNestingDepth(UiLimits.MAX_NESTING_DEPTH)
                .maxStringLength(maxBytes)
                .maxDocumentLength(maxBytes)
                .build();
        return JsonMapper.builder(
                        JsonFactory.builder().streamReadConstraints(limits).build())
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
                .build();
    }
}
