package dev.holdfast.models;

import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The tokens an answer cost, in the words of the AI SDK. */
final class Usage {

    private Usage() {}

    /** Of chat completions. */
    static ObjectNode ofChat(JsonNode usage) {
        return of(
                usage,
                "prompt_tokens",
                "completion_tokens",
                usage.at("/completion_tokens_details/reasoning_tokens"),
                usage.at("/prompt_tokens_details/cached_tokens"));
    }

    /** Of responses. */
    static ObjectNode ofResponses(JsonNode usage) {
        return of(
                usage,
                "input_tokens",
                "output_tokens",
                usage.at("/output_tokens_details/reasoning_tokens"),
                usage.at("/input_tokens_details/cached_tokens"));
    }

    /** Of Anthropic's messages, which count tokens that a cache wrote or read apart from the others. */
    static ObjectNode ofMessages(JsonNode usage) {
        long cached = usage.path("cache_read_input_tokens").asLong(0);
        long input = usage.path("input_tokens").asLong(0)
                + usage.path("cache_creation_input_tokens").asLong(0)
                + cached;
        long output = usage.path("output_tokens").asLong(0);
        return ModelJson.object()
                .put("inputTokens", input)
                .put("outputTokens", output)
                .put("totalTokens", input + output)
                .put("cachedInputTokens", cached);
    }

    /** The tokens of two answers together. */
    static ObjectNode sum(JsonNode a, JsonNode b) {
        ObjectNode sum = ModelJson.object();
        a.properties().forEach(field -> sum.set(field.getKey(), field.getValue()));
        for (Map.Entry<String, JsonNode> field : b.properties()) {
            JsonNode other = a.get(field.getKey());
            if (other != null && other.isIntegralNumber() && field.getValue().isIntegralNumber()) {
                sum.put(field.getKey(), other.asLong() + field.getValue().asLong());
            } else {
                sum.set(field.getKey(), field.getValue());
            }
        }
        return sum;
    }

    private static ObjectNode of(JsonNode usage, String input, String output, JsonNode reasoning, JsonNode cached) {
        ObjectNode tokens = ModelJson.object();
        copy(tokens, "inputTokens", usage.path(input));
        copy(tokens, "outputTokens", usage.path(output));
        copy(tokens, "totalTokens", usage.path("total_tokens"));
        copy(tokens, "reasoningTokens", reasoning);
        copy(tokens, "cachedInputTokens", cached);
        return tokens;
    }

    private static void copy(ObjectNode to, String field, JsonNode value) {
        if (value.isNumber()) {
            to.set(field, value);
        }
    }
}
