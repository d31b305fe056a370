package dev.holdfast.mcp.tasks;

import dev.holdfast.mcp.PlainJson;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * What a tool asked for while it is a task, and what was answered by now. The wire's keys have the round's number, so that none comes twice in
 * a task's life, whatever the tool calls its questions. Immutable.
 *
 * @param number from 1
 * @param requests the questions by the tool's own keys
 * @param answers the answers by the tool's own keys
 * @param requestState what the tool wants to see again, or null
 */
record InputRound(
        int number,
        Map<String, @Nullable Object> requests,
        Map<String, @Nullable Object> answers,
        @Nullable String requestState) {

    /** The key on the wire. */
    private String wireKey(String key) {
        return key + "-" + number;
    }

    /** What is still to be answered, by the wire's keys. */
    Map<String, @Nullable Object> outstanding() {
        Map<String, @Nullable Object> open = new LinkedHashMap<>();
        requests.forEach((key, request) -> {
            if (!answers.containsKey(key)) {
                open.put(wireKey(key), request);
            }
        });
        return open;
    }

    boolean isAnswered() {
        return answers.keySet().containsAll(requests.keySet());
    }

    /**
     * With those of the responses that answer an open question; all others are stale, unknown or late.
     *
     * @param responses by the wire's keys
     */
    InputRound with(Map<?, ?> responses) {
        Map<String, @Nullable Object> all = new LinkedHashMap<>(answers);
        for (String key : requests.keySet()) {
            if (!answers.containsKey(key) && responses.containsKey(wireKey(key))) {
                all.put(key, responses.get(wireKey(key)));
            }
        }
        return new InputRound(number, requests, all, requestState);
    }

    /** As JSON in UTF-8. */
    static long bytes(@Nullable InputRound round) {
        return round == null ? 0 : TaskFrame.json(round.toJson()).length;
    }

    Map<String, @Nullable Object> toJson() {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("number", number);
        json.put("requests", requests);
        json.put("answers", answers);
        json.put("requestState", requestState);
        return json;
    }

    static InputRound of(JsonNode json) {
        return new InputRound(
                json.path("number").intValue(),
                PlainJson.map(json.path("requests")),
                PlainJson.map(json.path("answers")),
                json.path("requestState").isString() ? json.path("requestState").stringValue() : null);
    }
}
