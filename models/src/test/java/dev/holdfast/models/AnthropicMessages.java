package dev.holdfast.models;

import dev.holdfast.models.loopback.Recording;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads recorded events of Anthropic's messages into the content blocks that they say, by the rules of the API's documentation and nothing else: what the
 * provider sent, to compare with.
 */
final class AnthropicMessages {

    private AnthropicMessages() {}

    /** The content blocks of each answer of a recording. */
    static List<ArrayNode> contents(String recording) {
        List<ArrayNode> contents = new ArrayList<>();
        List<StringBuilder> inputs = new ArrayList<>();
        for (String event : Recording.named(recording).orElseThrow().events()) {
            ObjectNode json = ModelJson.event(event.getBytes(StandardCharsets.UTF_8));
            ArrayNode content = contents.isEmpty() ? ModelJson.array() : contents.get(contents.size() - 1);
            switch (json.get("type").stringValue()) {
                case "message_start" -> {
                    contents.add((ArrayNode) json.at("/message/content").deepCopy());
                    inputs.clear();
                }
                case "content_block_start" -> {
                    content.add(json.get("content_block").deepCopy());
                    inputs.add(new StringBuilder());
                }
                case "content_block_delta" ->
                    apply(json.get("delta"), (ObjectNode) content.get(content.size() - 1), inputs);
                case "content_block_stop" -> {
                    String input = inputs.get(inputs.size() - 1).toString();
                    if (!input.isEmpty()) {
                        ((ObjectNode) content.get(content.size() - 1))
                                .set("input", ModelJson.read(input).orElseThrow());
                    }
                }
                default -> {}
            }
        }
        return contents;
    }

    private static void apply(JsonNode delta, ObjectNode block, List<StringBuilder> inputs) {
        switch (delta.get("type").stringValue()) {
            case "text_delta" ->
                block.put(
                        "text",
                        block.get("text").stringValue() + delta.get("text").stringValue());
            case "input_json_delta" ->
                inputs.get(inputs.size() - 1).append(delta.get("partial_json").stringValue());
            case "citations_delta" -> block.withArray("citations").add(delta.get("citation"));
            default -> throw new AssertionError("not in the recordings: " + delta);
        }
    }

    /** The text of all text blocks. */
    static String text(List<ArrayNode> contents) {
        StringBuilder text = new StringBuilder();
        for (ArrayNode content : contents) {
            for (JsonNode block : content) {
                text.append(block.path("text").asString(""));
            }
        }
        return text.toString();
    }

    /** Blocks as the API takes them back: blanks alone are no text of their own, and an empty list of citations says nothing. */
    static List<ArrayNode> asSentBack(List<ArrayNode> contents) {
        for (ArrayNode content : contents) {
            for (int i = content.size() - 1; i >= 0; i--) {
                ObjectNode block = (ObjectNode) content.get(i);
                if (block.path("citations").isEmpty()) {
                    block.remove("citations");
                }
                if (i > 0
                        && block.has("text")
                        && block.get("text").stringValue().isBlank()) {
                    ObjectNode before = (ObjectNode) content.get(i - 1);
                    before.put(
                            "text",
                            before.get("text").stringValue() + block.get("text").stringValue());
                    content.remove(i);
                }
            }
        }
        return contents;
    }
}
