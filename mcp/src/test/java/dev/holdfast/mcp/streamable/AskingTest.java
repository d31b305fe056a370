package dev.holdfast.mcp.streamable;

import static org.assertj.core.api.Assertions.assertThat;

import io.modelcontextprotocol.server.McpSyncServerExchange;
import io.modelcontextprotocol.spec.McpSchema;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Requests of the server to its client, within a call and outside of any. */
@Timeout(60)
final class AskingTest {

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

    private static String ask(McpSyncServerExchange exchange) {
        McpSchema.ElicitResult result = exchange.createElicitation(
                McpSchema.ElicitFormRequest.builder("Really?", Map.of("type", "object", "properties", Map.of()))
                        .build());
        return result.action().name();
    }

    private void accept(Sse.Event question) throws Exception {
        assertThat(question.json().path("method").asString()).isEqualTo("elicitation/create");
        try (Sse answer =
                client.post("{\"jsonrpc\":\"2.0\",\"id\":\"%s\",\"result\":{\"action\":\"accept\",\"content\":{}}}"
                        .formatted(question.json().path("id").asString()))) {
            assertThat(answer.status()).isEqualTo(202);
        }
    }

    @Test
    void a_tool_asks_on_the_stream_of_its_call_and_goes_on_with_the_answer() throws Exception {
        try (Sse stream = client.script(1, "a");
                Sse standalone = client.get(null)) {
            standalone.next();
            CompletableFuture<String> answer = site.script("a").later(AskingTest::ask);
            accept(stream.message());
            assertThat(answer.join()).isEqualTo("ACCEPT");
            site.script("a").finish("done");
            assertThat(Client.answer(stream.message())).isEqualTo("done");
            assertThat(standalone.comments()).isZero();
        }
    }

    @Test
    void a_question_that_was_asked_while_the_client_was_away_is_answered_after_it_has_come_back() throws Exception {
        String priming;
        try (Sse stream = client.script(1, "a")) {
            priming = String.valueOf(stream.next().orElseThrow().id());
        }
        CompletableFuture<String> answer = site.script("a").later(AskingTest::ask);
        try (Sse stream = client.get(priming)) {
            accept(stream.message());
            assertThat(answer.join()).isEqualTo("ACCEPT");
            site.script("a").finish("done");
            assertThat(Client.answer(stream.message())).isEqualTo("done");
        }
    }

    /** What the server sends by itself needs no request to be going on: the transport knows its sessions. */
    @Test
    void a_notification_to_one_session_outside_of_any_request_is_on_its_standalone_stream() throws Exception {
        try (Client other = Client.of(site);
                Sse mine = client.get(null);
                Sse others = other.get(null)) {
            mine.next();
            others.next();
            String sdkId = sessionIdInTools();
            site.transport()
                    .notifyClient(sdkId, "notifications/x", Map.of("data", "by the sdk's id"))
                    .block();
            site.transport()
                    .notifyClient(client.session(), "notifications/x", Map.of("data", "by its own"))
                    .block();
            assertThat(mine.messages(2)).extracting(Sse.Event::text).containsExactly("by the sdk's id", "by its own");
            site.transport()
                    .notifyClients("notifications/x", Map.of("data", "to all"))
                    .block();
            assertThat(others.message().text()).isEqualTo("to all");
        }
    }

    private String sessionIdInTools() throws Exception {
        try (Sse stream = client.script(9, "id")) {
            String id = site.script("id").with(McpSyncServerExchange::sessionId);
            site.script("id").finish("done");
            stream.rest();
            return id;
        }
    }

    @Test
    void who_has_subscribed_to_a_resource_is_told_of_its_changes() throws Exception {
        try (Client other = Client.of(site);
                Sse mine = client.get(null);
                Sse others = other.get(null)) {
            mine.next();
            others.next();
            try (Sse answer = client.post(
                    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/subscribe\",\"params\":{\"uri\":\"test://a\"}}")) {
                assertThat(answer.rest().getFirst().json().has("result")).isTrue();
            }
            site.server().notifyResourcesUpdated(new McpSchema.ResourcesUpdatedNotification("test://a"));
            assertThat(mine.message().json().path("params").path("uri").asString())
                    .isEqualTo("test://a");
            site.transport()
                    .notifyClients("notifications/x", Map.of("data", "to all"))
                    .block();
            assertThat(others.message().text()).isEqualTo("to all");
        }
    }
}
