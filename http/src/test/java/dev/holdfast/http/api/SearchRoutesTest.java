package dev.holdfast.http.api;

import static dev.holdfast.http.api.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.servlet.Binding;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.session.Session;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Messages found by their words, over the wire. */
@ParameterizedClass
@EnumSource(Binding.class)
final class SearchRoutesTest {

    private final Binding binding;

    @TempDir
    private Path folder;

    private Api api;
    private Session session;

    SearchRoutesTest(Binding binding) {
        this.binding = binding;
    }

    @BeforeEach
    void start() throws Exception {
        api = new Api(folder, binding);
        session = api.holdfast.sessions("default").create("s");
    }

    @AfterEach
    void stop() {
        api.close();
    }

    private void say(String id, String text) {
        session.upsert(MessageDraft.of(
                id,
                "user",
                "{\"id\":\"%s\",\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"text\":\"%s\"}]}"
                        .formatted(id, text)));
    }

    private HttpResponse<String> ask(String question, String more) throws Exception {
        return api.server.get("/api/v1/search?q=" + URLEncoder.encode(question, StandardCharsets.UTF_8) + more);
    }

    private List<String> found(String question) throws Exception {
        List<String> ids = new ArrayList<>();
        json(ask(question, ""))
                .get("hits")
                .forEach(hit -> ids.add(hit.get("messageId").stringValue()));
        return ids;
    }

    @Test
    void a_hit_says_where_it_is_and_shows_what_matched() throws Exception {
        say("m1", "How do I bake bread?");

        JsonNode page = json(ask("BREA", ""));

        assertThat(page.get("next").isNull()).isTrue();
        JsonNode hit = page.get("hits").get(0);
        assertThat(hit.get("sessionId").stringValue()).isEqualTo("s");
        assertThat(hit.get("title").stringValue()).isEqualTo("How do I bake bread?");
        assertThat(hit.get("messageId").stringValue()).isEqualTo("m1");
        assertThat(hit.get("role").stringValue()).isEqualTo("user");
        assertThat(hit.get("snippet").toString())
                .isEqualTo(
                        "[{\"text\":\"How do I bake \",\"match\":false},{\"text\":\"bread\",\"match\":true},{\"text\":\"?\",\"match\":false}]");
        assertThat(hit.get("createdAt").stringValue()).endsWith("Z");
    }

    @Test
    void what_is_not_text_is_not_searched() throws Exception {
        session.append(
                MessageDraft.of(
                        "m1",
                        "assistant",
                        "{\"id\":\"m1\",\"role\":\"assistant\",\"parts\":[{\"type\":\"file\",\"mediaType\":\"image/png\",\"url\":\"data:image/png;base64,bread\"}]}"));

        assertThat(found("bread")).isEmpty();
        assertThat(found("assistant")).isEmpty();
    }

    @Test
    void a_turns_question_and_answer_are_found_and_changed_or_deleted_ones_are_not() throws Exception {
        api.startTurn("default");
        assertThat(found("hello")).containsExactly("m");
        say("m1", "bread");
        say("m1", "rolls");
        assertThat(found("bread")).isEmpty();
        assertThat(found("rolls")).containsExactly("m1");
        session.delete("m1");
        assertThat(found("rolls")).isEmpty();
        api.holdfast.sessions("default").delete("s");
        assertThat(found("hello")).isEmpty();
    }

    @Test
    void pages_go_on_where_the_one_before_ended() throws Exception {
        for (int i = 0; i < 23; i++) {
            say("m" + i, "bread number " + i);
        }
        List<String> ids = new ArrayList<>();
        String cursor = "";
        do {
            JsonNode page = json(ask("bread", "&limit=5" + cursor));
            page.get("hits").forEach(hit -> ids.add(hit.get("messageId").stringValue()));
            cursor = page.get("next").isNull()
                    ? null
                    : "&cursor=" + page.get("next").stringValue();
        } while (cursor != null);

        List<String> expected = new ArrayList<>();
        for (int i = 22; i >= 0; i--) {
            expected.add("m" + i);
        }
        assertThat(ids).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"",
                "*",
                "bread*",
                "\"bread",
                "bread AND",
                "NOT bread",
                "(bread",
                "bread)",
                "words:bread",
                "tenant:x OR bread",
                "^bread",
                "bread - + near(",
                "'; DROP TABLE holdfast_messages; --",
                "{a b}:c",
                "\\",
                "bread\uFFFF",
                "-",
                " ",
                "NEAR/2"
            })
    void any_text_is_a_question(String question) throws Exception {
        say("m1", "bread");

        assertThat(ask(question, "").statusCode()).isEqualTo(200);
        assertThat(found("bread")).containsExactly("m1");
    }

    @Test
    void what_is_wrong_with_a_request_is_said() throws Exception {
        assertThat(json(api.server.get("/api/v1/search?q=")).get("hits").size()).isZero();
        assertThat(ask("bread", "&limit=101").statusCode()).isEqualTo(400);
        HttpResponse<String> wrong = ask("bread", "&cursor=1.2.3");
        assertThat(wrong.statusCode()).isEqualTo(400);
        assertThat(json(wrong).get("type").stringValue()).endsWith("wrong-cursor");
        assertThat(ask("bread", "&cursor=9999999999999999999.0").statusCode()).isEqualTo(400);
        assertThat(ask("bread", "&cursor=9223372036854775807.0").statusCode()).isEqualTo(200);
        assertThat(ask("x".repeat(5000), "").statusCode()).isEqualTo(200);
    }

    @Test
    void a_tenant_finds_its_own_messages_only() throws Exception {
        api.holdfast.sessions("other").create("s").append(MessageDraft.of("m9", "user", "bread"));

        assertThat(found("bread")).isEmpty();
        assertThat(api.holdfast.sessions("other").search("bread", null, 10).hits())
                .hasSize(1);
    }
}
