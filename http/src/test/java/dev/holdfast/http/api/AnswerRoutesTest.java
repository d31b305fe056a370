package dev.holdfast.http.api;

import static dev.holdfast.http.api.Api.TURN;
import static dev.holdfast.http.api.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.EventStream;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Answers to tool calls over HTTP. */
final class AnswerRoutesTest {

    private static final String ANSWERS = TURN + "/answers";

    @TempDir
    private Path folder;

    private Api api;

    @BeforeEach
    void startAndWait() throws Exception {
        api = new Api(folder);
        api.startTurn("tools");
        try (EventStream watch = EventStream.open(api.server, Api.EVENTS)) {
            assertThat(watch.rest().getLast().name()).isEqualTo("turn-awaiting");
        }
    }

    @AfterEach
    void close() {
        api.close();
    }

    private HttpResponse<String> answer(String body) throws Exception {
        return api.server.post(ANSWERS, body);
    }

    @Test
    void answers_are_applied_one_by_one_and_the_last_lets_the_turn_go_on() throws Exception {
        JsonNode first = json(answer("{\"toolCallId\": \"c1\", \"output\": {\"city\": \"Graz\"}}"));
        assertThat(first.get("effect").stringValue()).isEqualTo("applied");
        assertThat(first.get("turn").get("state").stringValue()).isEqualTo("awaiting");
        assertThat(json(answer("{\"toolCallId\": \"c1\", \"output\": {\"city\": \"Graz\"}}"))
                        .get("effect")
                        .stringValue())
                .isEqualTo("repeated");
        JsonNode second = json(answer("{\"toolCallId\": \"c2\", \"approved\": false, \"reason\": \"too risky\"}"));
        assertThat(second.get("turn").get("state").stringValue()).isEqualTo("streaming");
        try (EventStream watch = EventStream.open(api.server, Api.EVENTS)) {
            assertThat(watch.rest().getLast().name()).isEqualTo("turn-ended");
        }
        String messageId = second.get("turn").get("messageId").stringValue();
        assertThat(api.server.get("/api/v1/sessions/s/messages/" + messageId).body())
                .contains("Graz", "too risky", "done");
    }

    @Test
    void an_answer_has_a_named_refusal() throws Exception {
        answer("{\"toolCallId\": \"c1\", \"output\": null}");
        HttpResponse<String> conflict = answer("{\"toolCallId\": \"c1\", \"error\": \"no\"}");
        assertThat(conflict.statusCode()).isEqualTo(409);
        assertThat(json(conflict).get("type").stringValue()).isEqualTo("urn:holdfast:problem:answer-conflict");
        HttpResponse<String> unknown = answer("{\"toolCallId\": \"c9\", \"error\": \"no\"}");
        assertThat(unknown.statusCode()).isEqualTo(404);
        assertThat(json(unknown).get("type").stringValue()).isEqualTo("urn:holdfast:problem:tool-call-not-found");
        for (String wrong : List.of(
                "{}",
                "{\"toolCallId\": \"c2\"}",
                "{\"toolCallId\": \"c2\", \"approved\": \"yes\"}",
                "{\"toolCallId\": \"c2\", \"approved\": true, \"output\": 1}",
                "{\"toolCallId\": \"c2\", \"output\": 1, \"reason\": \"x\"}",
                "{\"toolCallId\": \"c2\", \"error\": \" \"}",
                "{\"toolCallId\": \"\", \"error\": \"x\"}")) {
            assertThat(answer(wrong).statusCode()).as(wrong).isEqualTo(400);
        }
    }
}
