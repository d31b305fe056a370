package dev.holdfast.server.demo;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The JSON the demonstration reads. */
final class Json {

    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private Json() {}

    static JsonNode parse(String text) {
        return MAPPER.readTree(text);
    }

    /** The text that a JSON string's inside stands for. */
    static String unescape(String inside) {
        return MAPPER.readTree('"' + inside + '"').asString();
    }

    static String quote(String text) {
        return MAPPER.writeValueAsString(text);
    }
}
