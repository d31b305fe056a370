package dev.holdfast.http.api;

import static dev.holdfast.http.api.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Titles of sessions, set and made. */
final class TitleRoutesTest {

    @TempDir
    private Path folder;

    private Api api;

    @BeforeEach
    void start() throws Exception {
        api = new Api(folder);
        api.server.post("/api/v1/sessions", "{\"id\":\"s\"}");
    }

    @AfterEach
    void stop() {
        api.close();
    }

    private HttpResponse<String> put(String body) throws Exception {
        return api.server
                .client()
                .send(
                        api.server
                                .request("/api/v1/sessions/s/title")
                                .header("Content-Type", "application/json")
                                .PUT(BodyPublishers.ofString(body))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    private JsonNode title() throws Exception {
        JsonNode alone = json(api.server.get("/api/v1/sessions/s")).get("title");
        JsonNode listed =
                json(api.server.get("/api/v1/sessions")).get("sessions").get(0).get("title");
        assertThat(listed).isEqualTo(alone);
        return alone;
    }

    private void say(String id, String text) throws Exception {
        HttpResponse<String> answer = api.server.post("/api/v1/sessions/s/turns", """
                {"id": "t-%s", "message": {"id": "%s", "text": "%s"}}""".formatted(id, id, text));
        assertThat(answer.statusCode()).isEqualTo(201);
    }

    @Test
    void a_session_without_messages_has_no_title() throws Exception {
        assertThat(title().isNull()).isTrue();
    }

    @Test
    void a_title_is_made_of_the_first_words_of_the_first_message_and_stays() throws Exception {
        say("m1", "  How do I\\nbake   bread? " + "And then more words, ".repeat(10));
        say("m2", "Something else");

        String made = title().stringValue();
        assertThat(made).startsWith("How do I bake bread? And then more words,").hasSizeLessThanOrEqualTo(80);
        assertThat(made).doesNotEndWith(" ");
    }

    @Test
    void a_word_that_is_too_long_is_cut_between_code_points() throws Exception {
        say("m1", "\uD83D\uDE00".repeat(200));

        assertThat(title().stringValue()).isEqualTo("\uD83D\uDE00".repeat(80));
    }

    @Test
    void a_title_that_was_set_wins_over_a_made_one() throws Exception {
        HttpResponse<String> answer = put("{\"title\": \" Bread \"}");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(json(answer).get("title").stringValue()).isEqualTo("Bread");

        say("m1", "How do I bake it?");

        assertThat(title().stringValue()).isEqualTo("Bread");
        assertThat(put("{\"title\": \"Rolls\"}").statusCode()).isEqualTo(200);
        assertThat(title().stringValue()).isEqualTo("Rolls");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"{}", "{\"title\": 1}", "{\"title\": \"  \"}", "{\"title\": \"a\\nb\"}", "{\"name\": \"a\"}"})
    void what_is_no_title_is_refused(String body) throws Exception {
        assertThat(put(body).statusCode()).isEqualTo(400);
        assertThat(title().isNull()).isTrue();
    }

    @Test
    void a_title_that_is_too_long_is_refused_and_no_session_is_none() throws Exception {
        assertThat(put("{\"title\": \"" + "x".repeat(256) + "\"}").statusCode()).isEqualTo(200);
        assertThat(put("{\"title\": \"" + "x".repeat(257) + "\"}").statusCode()).isEqualTo(413);
        api.holdfast.sessions("default").delete("s");
        assertThat(put("{\"title\": \"x\"}").statusCode()).isEqualTo(404);
    }
}
