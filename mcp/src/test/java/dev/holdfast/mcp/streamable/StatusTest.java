package dev.holdfast.mcp.streamable;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each way in which a request can be wrong has its status and its reason, and each that is right its form. */
@Timeout(60)
final class StatusTest {

    private static final String PING = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";

    @TempDir
    private Path folder;

    private Site site;
    private Client client;

    @BeforeEach
    void open() throws Exception {
        site = Site.open(folder);
        client = Client.of(site);
    }

    @AfterEach
    void close() {
        client.close();
        site.close();
    }

    private void assertRefused(HttpRequest.Builder request, int status, int code, String reason) throws Exception {
        try (Sse answer = client.send(request)) {
            String body = answer.body();
            assertThat(answer.status()).as(body).isEqualTo(status);
            assertThat(answer.response().headers().firstValue("Content-Type")).hasValue("application/json");
            assertThat(Client.json(body).path("jsonrpc").asString()).isEqualTo("2.0");
            assertThat(Client.json(body).path("error").path("code").asInt()).isEqualTo(code);
            assertThat(Client.json(body).path("error").path("message").asString())
                    .isNotBlank();
            assertThat(Client.reason(Client.json(body))).isEqualTo(reason);
        }
    }

    @Test
    void initialize_is_answered_with_json_a_session_and_the_revision_that_was_asked_for() throws Exception {
        for (String revision : List.of("2025-03-26", "2025-06-18", "2025-11-25")) {
            try (Client fresh = new Client(site.url())) {
                assertThat(fresh.initialize(revision)
                                .path("result")
                                .path("protocolVersion")
                                .asString())
                        .isEqualTo(revision);
                assertThat(fresh.session()).matches("[\\x21-\\x7e]{22,}");
            }
        }
        try (Client fresh = new Client(site.url())) {
            assertThat(fresh.initialize("1999-01-01")
                            .path("result")
                            .path("protocolVersion")
                            .asString())
                    .isEqualTo("2025-11-25");
        }
    }

    @Test
    void initialize_with_a_session_is_a_400() throws Exception {
        assertRefused(
                client.posting(
                        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"x\",\"version\":\"1\"}}}"),
                400,
                -32600,
                "session-not-wanted");
    }

    @Test
    void initialize_whose_parameters_are_none_is_a_400() throws Exception {
        client.session(null);
        assertRefused(
                client.posting("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":[]}"),
                400,
                -32600,
                "invalid-initialize");
    }

    @Test
    void no_session_is_a_400_and_an_unknown_one_a_404() throws Exception {
        String session = client.session();
        client.session(null);
        assertRefused(client.posting(PING), 400, -32600, "session-required");
        assertRefused(client.getting(null), 400, -32600, "session-required");
        assertRefused(client.request().DELETE(), 400, -32600, "session-required");
        client.session(session + "x");
        assertRefused(client.posting(PING), 404, -32001, "session-not-found");
        assertRefused(client.getting(null), 404, -32001, "session-not-found");
        assertRefused(client.request().DELETE(), 404, -32001, "session-not-found");
    }

    @Test
    void a_revision_that_is_not_served_is_a_400_and_one_that_is_served_is_taken() throws Exception {
        assertRefused(
                client.posting(PING).header("MCP-Protocol-Version", "1999-01-01"), 400, -32600, "unsupported-revision");
        assertRefused(
                client.getting(null).header("MCP-Protocol-Version", "nonsense"), 400, -32600, "unsupported-revision");
        try (Sse answer = client.send(client.posting(PING).header("MCP-Protocol-Version", "2025-11-25"))) {
            assertThat(answer.rest()).hasSize(1);
        }
    }

    @Test
    void accept_content_type_and_bad_json_are_a_406_a_415_and_a_400() throws Exception {
        HttpRequest.Builder json = client.request()
                .header("Content-Type", "application/json")
                .header("Accept", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(PING));
        assertRefused(json, 406, -32600, "not-acceptable");
        assertRefused(client.request().header("Accept", "application/json"), 406, -32600, "not-acceptable");
        HttpRequest.Builder text = client.request()
                .header("Content-Type", "text/plain")
                .header("Accept", "application/json, text/event-stream")
                .POST(HttpRequest.BodyPublishers.ofString(PING));
        assertRefused(text, 415, -32600, "unsupported-media-type");
        assertRefused(client.posting("{"), 400, -32700, "parse-error");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":99999999999999999999,\"method\":\"ping\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{},\"error\":{\"code\":1,\"message\":\"x\"}}",
                "{\"jsonrpc\":\"2.0\",\"result\":{}}"
            })
    void what_is_no_json_rpc_message_is_a_400(String body) throws Exception {
        assertRefused(client.posting(body), 400, -32600, "invalid-message");
    }

    @Test
    void notifications_and_responses_alone_are_a_202_without_a_body() throws Exception {
        for (String body : List.of(
                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/unknown\",\"params\":{}}",
                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":77}}",
                "{\"jsonrpc\":\"2.0\",\"id\":\"nobody waits\",\"result\":{}}")) {
            try (Sse answer = client.post(body)) {
                assertThat(answer.status()).isEqualTo(202);
                assertThat(answer.body()).isEmpty();
            }
        }
    }

    @Test
    void a_batch_of_a_client_of_the_revision_that_has_them_is_answered_on_one_stream_which_ends_with_the_last_answer()
            throws Exception {
        try (Client old = Client.of(site, Client.WITH_BATCHES)) {
            String batch = "[%s,%s,{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}]"
                    .formatted(
                            Client.callJson(1, "script", "{\"name\":\"a\"}"),
                            Client.callJson(2, "script", "{\"name\":\"b\"}"));
            try (Sse stream = old.post(batch)) {
                site.script("b").finish("b");
                Sse.Event first = stream.message();
                assertThat(first.json().path("id").asInt()).isEqualTo(2);
                site.script("a").log("still going");
                assertThat(stream.message().text()).isEqualTo("still going");
                site.script("a").finish("a");
                assertThat(Client.answer(stream.message())).isEqualTo("a");
                assertThat(stream.rest()).isEmpty();
            }
            try (Sse answer = old.post("[{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}]")) {
                assertThat(answer.status()).isEqualTo(202);
            }
            try (Sse answer = old.post("[" + PING + "," + PING + "]")) {
                assertThat(answer.status()).isEqualTo(400);
                assertThat(Client.reason(answer.json())).isEqualTo("invalid-message");
            }
        }
    }

    @Test
    void a_batch_of_any_other_revision_is_a_400() throws Exception {
        assertRefused(client.posting("[" + PING + "]"), 400, -32600, "no-batches");
    }

    @Test
    void a_batch_that_is_too_large_or_empty_is_a_400() throws Exception {
        try (Client old = Client.of(site, Client.WITH_BATCHES)) {
            String notification = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}";
            String batch = "[" + (notification + ",").repeat(100) + notification + "]";
            try (Sse answer = old.post(batch)) {
                assertThat(answer.status()).isEqualTo(400);
                assertThat(Client.reason(answer.json())).isEqualTo("batch-too-large");
            }
            try (Sse answer = old.post("[]")) {
                assertThat(answer.status()).isEqualTo(400);
            }
        }
    }

    @Test
    void text_of_any_script_goes_there_and_back() throws Exception {
        String text = "grüße, 日本語, 🎏, \\u0000, \\\"quoted\\\", line\\nbreak, \\u2028";
        try (Sse stream = client.call(1, "echo", "{\"text\":\"%s\"}".formatted(text))) {
            Sse.Event answer = stream.message();
            assertThat(Client.answer(answer))
                    .isEqualTo(Client.json("\"" + text + "\"").asString());
        }
    }

    @Test
    void a_method_or_tool_that_is_unknown_is_an_error_on_the_stream() throws Exception {
        try (Sse stream = client.post("{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"no/such\"}")) {
            List<Sse.Event> events = stream.rest();
            assertThat(events).hasSize(1);
            assertThat(events.getFirst().json().path("id").asString()).isEqualTo("x");
            assertThat(events.getFirst().json().path("error").path("code").asInt())
                    .isEqualTo(-32601);
        }
        try (Sse stream = client.call(2, "no_such_tool", "{}")) {
            assertThat(stream.rest()
                            .getFirst()
                            .json()
                            .path("error")
                            .path("code")
                            .asInt())
                    .isEqualTo(-32602);
        }
    }

    @Test
    void delete_ends_the_session_and_takes_all_that_was_stored_of_it() throws Exception {
        String id;
        try (Sse stream = client.call(1, "echo", "{\"text\":\"x\"}")) {
            stream.rest();
            id = stream.lastId();
        }
        client.get(null).close();
        assertThat(client.delete()).isEqualTo(204);
        assertRefused(client.posting(PING), 404, -32001, "session-not-found");
        assertRefused(client.getting(id), 404, -32001, "session-not-found");
        assertRefused(client.getting(null), 404, -32001, "session-not-found");
        assertRefused(client.request().DELETE(), 404, -32001, "session-not-found");
        assertThat(site.holdfast().streams().list(dev.holdfast.stream.StreamListing.all()))
                .isEmpty();
        assertThat(site.holdfast().properties().list("mcp/session/", 10).properties())
                .isEmpty();
    }

    @Test
    void another_method_is_a_405_that_says_which_are_possible() throws Exception {
        try (Sse answer = client.send(client.request().method("PUT", HttpRequest.BodyPublishers.ofString("{}")))) {
            assertThat(answer.status()).isEqualTo(405);
            assertThat(answer.response().headers().firstValue("Allow").orElse(""))
                    .contains("GET", "POST", "DELETE");
        }
    }

    @Test
    void after_the_server_was_closed_the_answer_is_a_503() throws Exception {
        site.transport().closeGracefully().block();
        try (Sse answer = client.post(PING)) {
            assertThat(answer.status()).isEqualTo(503);
            assertThat(Client.reason(answer.json())).isEqualTo("not-serving");
            assertThat(answer.response().headers().firstValue("Retry-After")).isPresent();
        }
    }
}
