package dev.holdfast.uimessage;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** What the published clients made of chunk sequences; written by src/test/js/generate.mjs. */
final class ClientData {

    static final JsonMapper JSON = JsonMapper.builder().build();

    private ClientData() {}

    static List<JsonNode> messages() {
        return read("client-messages.json");
    }

    static List<JsonNode> partialTexts() {
        return read("client-partial-json.json");
    }

    static JsonNode gate() {
        return resource("client-gate.json");
    }

    static List<byte[]> chunks(JsonNode testCase) {
        List<byte[]> chunks = new ArrayList<>();
        testCase.get("chunks").forEach(chunk -> chunks.add(JSON.writeValueAsBytes(chunk)));
        return chunks;
    }

    /** Chunks from JSON with single quotes. */
    static List<byte[]> chunks(String... json) {
        List<byte[]> chunks = new ArrayList<>();
        for (String chunk : json) {
            chunks.add(bytes(chunk));
        }
        return chunks;
    }

    static byte[] bytes(String json) {
        return json.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
    }

    static ObjectNode tree(byte[] json) {
        return (ObjectNode) JSON.readTree(json);
    }

    static JsonNode tree(String json) {
        return JSON.readTree(bytes(json));
    }

    private static List<JsonNode> read(String name) {
        List<JsonNode> all = new ArrayList<>();
        resource(name).forEach(all::add);
        return all;
    }

    private static JsonNode resource(String name) {
        try (InputStream in = Objects.requireNonNull(ClientData.class.getResourceAsStream(name))) {
            return JSON.readTree(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
