package dev.holdfast.http.api;

import static dev.holdfast.http.api.Api.TURN;
import static dev.holdfast.http.api.Api.body;
import static dev.holdfast.http.api.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.access.Action;
import dev.holdfast.error.HoldfastException.NotAuthorized;
import dev.holdfast.http.sse.SseSettings;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.session.Session;
import dev.holdfast.session.SessionLimits;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** The JSON API without its event streams: on a real store and real sockets. */
final class SessionRoutesTest {

    @TempDir
    private Path folder;

    private Api api;

    @BeforeEach
    void start() throws Exception {
        api = new Api(folder);
    }

    @AfterEach
    void stop() {
        api.close();
    }

    private HttpResponse<String> delete(String path) throws Exception {
        return api.server
                .client()
                .send(api.server.request(path).DELETE().build(), HttpResponse.BodyHandlers.ofString());
    }

    private List<String> walk(String first, String array) throws Exception {
        List<String> ids = new ArrayList<>();
        for (String path = first; path != null; ) {
            JsonNode page = json(api.server.get(path));
            page.get(array).forEach(each -> ids.add(each.get("id").stringValue()));
            path = page.get("next").isNull() ? null : page.get("next").stringValue();
        }
        return ids;
    }

    @Test
    void a_session_is_made_once_found_again_and_deleted() throws Exception {
        HttpResponse<String> made = api.server.post("/api/v1/sessions", "{\"id\":\"a b\"}");
        assertThat(made.statusCode()).isEqualTo(201);
        assertThat(made.headers().firstValue("Location")).contains("/api/v1/sessions/a%20b");
        assertThat(api.server.post("/api/v1/sessions", "{\"id\":\"a b\"}").statusCode())
                .isEqualTo(200);
        JsonNode shown = json(api.server.get("/api/v1/sessions/a%20b"));
        assertThat(shown.get("id").stringValue()).isEqualTo("a b");
        assertThat(shown.get("messages").intValue()).isZero();
        assertThat(delete("/api/v1/sessions/a%20b").statusCode()).isEqualTo(204);
        assertThat(delete("/api/v1/sessions/a%20b").statusCode()).isEqualTo(404);
        assertThat(api.server.get("/api/v1/sessions/a%20b").statusCode()).isEqualTo(404);
    }

    @Test
    void a_session_without_an_id_gets_one() throws Exception {
        JsonNode made = json(api.server.post("/api/v1/sessions", ""));
        assertThat(api.server
                        .get("/api/v1/sessions/" + made.get("id").stringValue())
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void sessions_are_listed_in_pages_newest_first() throws Exception {
        for (String id : List.of("1", "2", "3", "4", "5")) {
            api.server.post("/api/v1/sessions", "{\"id\":\"" + id + "\"}");
        }
        assertThat(walk("/api/v1/sessions?limit=2", "sessions")).containsExactlyInAnyOrder("1", "2", "3", "4", "5");
        assertThat(api.server.get("/api/v1/sessions?after=x").statusCode()).isEqualTo(400);
        assertThat(api.server.get("/api/v1/sessions?limit=0").statusCode()).isEqualTo(400);
        assertThat(api.server.get("/api/v1/sessions?limit=99999999999").statusCode())
                .isEqualTo(400);
    }

    @Test
    void sessions_are_found_by_the_words_of_their_titles_in_pages() throws Exception {
        for (String id : List.of("1", "2", "3", "4", "5")) {
            api.holdfast.sessions().create(id).title(id.equals("3") ? "Fish & chips" : "Crème brûlée, part " + id);
        }
        api.holdfast.sessions().create("untitled");
        api.holdfast.sessions("other").create("foreign").title("Creme");

        assertThat(walk("/api/v1/sessions?title=BRULEE%20cre&limit=3", "sessions"))
                .containsExactlyInAnyOrder("1", "2", "4", "5");
        assertThat(walk("/api/v1/sessions?title=part%204", "sessions")).containsExactly("4");
        assertThat(walk("/api/v1/sessions?title=chip%20fish", "sessions")).containsExactly("3");
        assertThat(walk("/api/v1/sessions?title=fish%20brulee", "sessions")).isEmpty();
        assertThat(walk("/api/v1/sessions?title=%26", "sessions")).isEmpty();
    }

    @Test
    void a_title_behind_many_others_is_found_by_a_later_page() throws Exception {
        api.holdfast.sessions().create("old").title("Kelp");
        try (ExecutorService many = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < SessionLimits.MAX_COMPARED_TITLES; i++) {
                String id = "young-" + i;
                many.execute(() -> api.holdfast.sessions().create(id));
            }
        }

        JsonNode first = json(api.server.get("/api/v1/sessions?title=kelp"));

        assertThat(first.get("sessions")).isEmpty();
        assertThat(json(api.server.get(first.get("next").stringValue()))
                        .get("sessions")
                        .get(0)
                        .get("id")
                        .stringValue())
                .isEqualTo("old");
    }

    @Test
    void messages_come_in_pages_from_either_end_of_any_branch() throws Exception {
        Session session = api.holdfast.sessions().create("s");
        for (int i = 0; i < 7; i++) {
            session.append(MessageDraft.of("m" + i, "user", "{\"n\":" + i + "}"));
        }
        session.append(MessageDraft.of("branch", "user", "no json").under("m2"));
        String messages = "/api/v1/sessions/s/messages";
        assertThat(walk(messages + "?limit=2", "messages")).containsExactly("branch", "m2", "m1", "m0");
        assertThat(walk(messages + "?limit=3&leaf=m6", "messages"))
                .containsExactly("m6", "m5", "m4", "m3", "m2", "m1", "m0");
        assertThat(walk(messages + "?order=root&limit=2", "messages")).containsExactly("m0", "m1", "m2", "branch");
        assertThat(walk(messages + "?order=root&limit=2&leaf=m6", "messages"))
                .containsExactly("m0", "m1", "m2", "m3", "m4", "m5", "m6");
        assertThat(json(api.server.get(messages + "/m3"))
                        .get("content")
                        .get("n")
                        .intValue())
                .isEqualTo(3);
        assertThat(json(api.server.get(messages + "/branch")).get("content").stringValue())
                .isEqualTo("no json");
        assertThat(api.server.get(messages + "?leaf=none").statusCode()).isEqualTo(404);
        assertThat(api.server.get(messages + "?order=root&after=none").statusCode())
                .isEqualTo(404);
        assertThat(api.server.get(messages + "?order=sideways").statusCode()).isEqualTo(400);
        assertThat(api.server.get(messages + "/none").statusCode()).isEqualTo(404);
    }

    @Test
    void the_same_key_attaches_and_another_payload_under_it_is_a_conflict() throws Exception {
        JsonNode first = api.startTurn("default");
        HttpResponse<String> again =
                api.server.post("/api/v1/sessions/s/turns", body("default").replace(" ", ""));
        assertThat(again.statusCode()).isEqualTo(200);
        assertThat(json(again).get("cursor")).isEqualTo(first.get("cursor"));
        assertThat(api.server
                        .post("/api/v1/sessions/s/turns", body("default").replace("Hello", "Other"))
                        .statusCode())
                .isEqualTo(409);
        assertThat(api.server
                        .post(
                                "/api/v1/sessions/s/turns",
                                body("default").replace("\"t\"", "\"t2\", \"policy\": \"drop\""))
                        .statusCode())
                .as("the session is busy")
                .isEqualTo(409);
        assertThat(json(api.server.get("/api/v1/sessions/s"))
                        .get("liveTurns")
                        .get(0)
                        .get("id")
                        .stringValue())
                .isEqualTo("t");
        assertThat(json(api.server.get("/api/v1/sessions/s/turns")).get("turns").size())
                .isEqualTo(1);
    }

    @Test
    void a_key_in_the_header_names_the_turn_and_must_not_contradict_the_body() throws Exception {
        api.server.post("/api/v1/sessions", "{\"id\":\"s\"}");
        String turns = "/api/v1/sessions/s/turns";
        String withoutId = "{\"message\": {\"id\": \"m\", \"text\": \"Hello\"}}";

        assertThat(startWithKey(turns, "\"other\"", body("default")).statusCode())
                .isEqualTo(400);
        assertThat(startWithKey(turns, "other", body("default")).body()).contains("Idempotency-Key");
        assertThat(startWithKey(turns, "\"t\"", withoutId).statusCode()).isEqualTo(201);
        assertThat(startWithKey(turns, "t", body("default")).statusCode()).isEqualTo(200);
    }

    private HttpResponse<String> startWithKey(String path, String key, String body) throws Exception {
        return api.server
                .client()
                .send(
                        api.server
                                .request(path)
                                .header("Content-Type", "application/json")
                                .header("Idempotency-Key", key)
                                .POST(HttpRequest.BodyPublishers.ofString(body))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void the_users_message_is_written_with_the_turn_as_a_ui_message() throws Exception {
        api.startTurn("default");
        JsonNode message = json(api.server.get("/api/v1/sessions/s/messages/m"));
        assertThat(message.get("role").stringValue()).isEqualTo("user");
        assertThat(message.get("content").get("parts").get(0).get("text").stringValue())
                .isEqualTo("Hello");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"id\":1}",
                "{\"id\":\"\"}",
                "{\"id\":\"a\\u0000b\"}",
                "{\"id\":\"a\\ud800b\"}",
                "{\"id\":\"t\",\"agent\":\"none\"}",
                "{\"id\":\"t\",\"agent\":7}",
                "{\"id\":\"t\",\"typo\":true}",
                "{\"id\":\"t\",\"message\":\"Hello\"}",
                "{\"id\":\"t\",\"message\":{}}",
                "{\"id\":\"t\",\"message\":{\"text\":\"x\"}}",
                "{\"id\":\"t\",\"message\":{\"id\":\"m\",\"text\":\"x\",\"content\":{}}}",
                "{\"id\":\"t\",\"message\":{\"id\":\"m\",\"content\":{}}}",
                "{\"id\":\"t\",\"message\":{\"id\":\"m\",\"content\":{\"id\":\"other\",\"role\":\"user\",\"parts\":[]}}}",
                "{\"id\":\"t\",\"message\":{\"id\":\"m\",\"role\":\"system\",\"content\":{\"id\":\"m\",\"role\":\"user\",\"parts\":[]}}}",
                "{\"id\":\"t\",\"message\":{\"content\":{\"id\":\"\",\"role\":\"user\",\"parts\":[]}}}",
                "{\"id\":\"t\",\"message\":{\"content\":{\"id\":\"m\",\"role\":\"user\",\"parts\":[1]}}}",
                "{\"id\":\"t\",\"messageId\":\"\"}",
            })
    void a_turn_that_is_asked_for_wrongly_is_a_400(String wrong) throws Exception {
        api.holdfast.sessions().create("s");
        HttpResponse<String> answer = api.server.post("/api/v1/sessions/s/turns", wrong);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
    }

    @Test
    void names_and_inputs_beyond_their_limits_are_refused() throws Exception {
        api.holdfast.sessions().create("s");
        String long257 = "x".repeat(257);
        assertThat(api.server
                        .post("/api/v1/sessions", "{\"id\":\"" + long257 + "\"}")
                        .statusCode())
                .isEqualTo(413);
        assertThat(api.server
                        .post("/api/v1/sessions/s/turns", "{\"id\":\"" + long257 + "\"}")
                        .statusCode())
                .isEqualTo(413);
        String input = "{\"id\":\"t\",\"input\":\"" + "y".repeat(2 << 20) + "\"}";
        assertThat(api.server.post("/api/v1/sessions/s/turns", input).statusCode())
                .isEqualTo(413);
        assertThat(api.server.get("/api/v1/sessions/" + long257).statusCode()).isEqualTo(404);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/v1/sessions/none", "/api/v1/sessions/none/messages", "/api/v1/sessions/none/turns",
                "/api/v1/sessions/none/feed", "/api/v1/sessions/none/turns/t", "/api/v1/sessions/none/turns/t/events",
                "/api/v1/streams/none", TURN, TURN + "/events"
            })
    void what_is_not_there_is_a_404(String path) throws Exception {
        assertThat(api.server.get(path).statusCode()).isEqualTo(404);
    }

    @Test
    void a_turn_that_is_not_there_cannot_be_resumed_nor_stopped_without_its_session() throws Exception {
        assertThat(api.server.post(TURN + "/stop", "{}").statusCode()).isEqualTo(404);
        api.holdfast.sessions().create("s");
        assertThat(api.server.post(TURN + "/resume", "{}").statusCode()).isEqualTo(404);
        assertThat(api.server.post(TURN + "/stop", "{\"why\":1}").statusCode()).isEqualTo(400);
    }

    @Test
    void the_authorizer_is_asked_at_every_door() throws Exception {
        api.startTurn("default");
        api.close();
        List<Action> asked = new ArrayList<>();
        api = new Api(folder, SseSettings.defaults(), (principal, action, resource) -> {
            asked.add(action);
            throw new NotAuthorized("No.");
        });
        for (String path : List.of(
                "/api/v1/sessions",
                "/api/v1/sessions/s",
                "/api/v1/sessions/s/messages",
                "/api/v1/sessions/s/messages/m",
                "/api/v1/sessions/s/turns",
                TURN,
                TURN + "/events",
                "/api/v1/sessions/s/feed",
                "/api/v1/streams/x")) {
            assertThat(api.server.get(path).statusCode()).as(path).isEqualTo(403);
        }
        for (String path : List.of("/api/v1/sessions", "/api/v1/sessions/s/turns", TURN + "/stop", TURN + "/resume")) {
            assertThat(api.server.post(path, "{}").statusCode()).as(path).isEqualTo(403);
        }
        assertThat(delete("/api/v1/sessions/s").statusCode()).isEqualTo(403);
        assertThat(asked).hasSize(14).contains(Action.READ, Action.WRITE, Action.LIST, Action.DELETE);
    }

    @Test
    void health_is_green_until_the_process_drains_and_the_page_says_what_this_is() throws Exception {
        assertThat(json(api.server.get("/healthz")).get("status").stringValue()).isEqualTo("ok");
        HttpResponse<String> page = api.server.get("/");
        assertThat(page.body()).contains("<h1>Holdfast</h1>", "curl -X POST http://127.0.0.1:" + api.server.port());
        api.health.drain();
        HttpResponse<String> draining = api.server.get("/healthz");
        assertThat(draining.statusCode()).isEqualTo(503);
        assertThat(draining.headers().firstValue("Retry-After")).isPresent();
        api.holdfast.turns().drain(java.time.Duration.ZERO);
        api.holdfast.sessions().create("s");
        assertThat(api.server.post("/api/v1/sessions/s/turns", body("default")).statusCode())
                .isEqualTo(503);
    }

    @Test
    void damage_that_a_read_finds_is_told_to_the_reader_and_turns_health_red() throws Exception {
        api.startTurn("default");
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("holdfast.db"));
                Statement statement = other.createStatement()) {
            statement.executeUpdate("UPDATE holdfast_contents SET data = x'00'");
        }

        HttpResponse<String> read = api.server.get("/api/v1/sessions/s/messages/m");

        assertThat(read.statusCode()).isEqualTo(500);
        assertThat(read.body()).contains("store-damaged").doesNotContain(folder.toString());
        HttpResponse<String> health = api.server.get("/healthz");
        assertThat(health.statusCode()).isEqualTo(503);
        assertThat(json(health).get("status").stringValue()).isEqualTo("store-damaged");
    }

    @Test
    void a_body_of_bytes_that_are_no_text_is_a_400() throws Exception {
        String raw = new String(new byte[] {'{', '"', (byte) 0xff, '"', ':', '1', '}'}, StandardCharsets.ISO_8859_1);
        assertThat(api.server.raw(
                        "POST /api/v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                                + "Content-Length: " + raw.length() + "\r\nConnection: close\r\n\r\n" + raw))
                .startsWith("HTTP/1.1 400");
    }
}
