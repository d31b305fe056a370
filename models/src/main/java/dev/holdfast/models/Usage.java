package dev.holdfast.models;

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
