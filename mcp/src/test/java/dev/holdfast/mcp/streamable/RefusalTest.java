package dev.holdfast.mcp.streamable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.access.Action;
import dev.holdfast.access.Resource;
import dev.holdfast.error.HoldfastException.NotAuthorized;
import dev.holdfast.stream.StreamListing;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Who is refused is told why in JSON-RPC, and nothing was stored and nothing has happened. */
@Timeout(60)
final class RefusalTest {

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    {"jsonrpc":"1.0","id":7,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}|7
                    {"id":7,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}|7
                    {"jsonrpc":"2.0","id":"seven","method":"initialize"}|"seven"
                    {"jsonrpc":"2.0","id":7,"method":"initialize","params":[]}|7
                    {"jsonrpc":"2.0","id":7,"method":"initialize","params":"text"}|7
                    {"jsonrpc":"2.0","id":7,"method":"initialize","params":{}}|7
                    {"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":7}}|7
                    {"jsonrpc":"2.0","id":null,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}|null
                    {"jsonrpc":"2.0","id":1.5,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}|null
                    {"jsonrpc":"2.0","id":{},"method":"initialize","params":{"protocolVersion":"2025-11-25"}}|null
                    """)
    void an_initialize_that_is_no_json_rpc_begins_no_session(String body, String id) throws Exception {
        try (Site site = Site.open(folder);
                Client client = new Client(site.url());
                Sse answer = client.post(body)) {
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.response().headers().firstValue("Mcp-Session-Id")).isEmpty();
            JsonNode error = answer.json();
            assertThat(error.path("id")).isEqualTo(Client.json(id));
            assertThat(error.path("error").path("code").asInt()).isEqualTo(-32600);
            assertThat(site.holdfast().properties().list("mcp/session/", "", 10).properties())
                    .isEmpty();
            assertThat(site.sessions()).isZero();
        }
    }

    @Test
    void what_fails_with_a_defect_is_answered_in_json_rpc() throws Exception {
        Site.Plan plan = new Site.Plan()
                .transport(builder -> builder.contextExtractor(head -> {
                    if (head.value("X-Broken") != null) {
                        throw new IllegalStateException("a defect");
                    }
                    return io.modelcontextprotocol.common.McpTransportContext.EMPTY;
                }));
        try (Site site = new Site(folder, plan);
                Client client = Client.of(site);
                Sse answer = client.send(client.posting(Client.callJson(1, "script", "{\"name\":\"a\"}"))
                        .header("X-Broken", "yes"))) {
            assertThat(answer.status()).isEqualTo(500);
            JsonNode error = answer.json();
            assertThat(error.path("error").path("code").asInt()).isEqualTo(-32603);
            assertThat(error.toString()).doesNotContain("a defect");
        }
    }

    @Test
    void the_authorizer_is_asked_about_posts_without_requests_too() throws Exception {
        AtomicBoolean allowed = new AtomicBoolean(true);
        Site.Plan plan = new Site.Plan()
                .transport(builder -> builder.authorizer((principal, action, resource) -> {
                    if (action == Action.WRITE && resource instanceof Resource.OneStream && !allowed.get()) {
                        throw new NotAuthorized("No writing now.");
                    }
                }));
        try (Site site = new Site(folder, plan);
                Client client = Client.of(site);
                Sse running = client.script(1, "a")) {
            site.script("a").awaitStarted();
            allowed.set(false);
            for (String message : java.util.List.of(
                    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}",
                    "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}")) {
                try (Sse answer = client.post(message)) {
                    assertThat(answer.status()).isEqualTo(403);
                }
            }
            site.script("a").finish("done");
            assertThat(Client.answer(running.message())).isEqualTo("done");
        }
    }

    /** Nothing of a POST that is refused has happened. */
    @Test
    void of_a_batch_that_is_refused_no_cancellation_takes_effect() throws Exception {
        Site.Plan plan = new Site.Plan()
                .settings(settings -> settings.withLimits(settings.limits().withMaxCallsPerSession(1)));
        try (Site site = new Site(folder, plan);
                Client old = Client.of(site, Client.WITH_BATCHES);
                Sse running = old.script(1, "a")) {
            site.script("a").awaitStarted();
            try (Sse refused = old.post(
                    "[{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}},%s]"
                            .formatted(Client.callJson(2, "echo", "{\"text\":\"x\"}")))) {
                assertThat(refused.status()).isEqualTo(429);
            }
            site.script("a").finish("done");
            assertThat(Client.answer(running.message())).isEqualTo("done");
            assertThat(site.holdfast().streams().list(StreamListing.all())).hasSize(1);
        }
    }

    /** Only what is meant for clients is sent to them. */
    @Test
    void what_a_failing_request_says_stays_on_the_server() throws Exception {
        try (Site site = Site.open(folder);
                Client client = Client.of(site)) {
            JsonNode last = Client.json("{}");
            for (int i = 0; i <= StreamableLimits.MAX_SUBSCRIPTIONS; i++) {
                try (Sse stream = client.post(
                        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/subscribe\",\"params\":{\"uri\":\"test://%d\"}}"
                                .formatted(i))) {
                    last = stream.rest().getFirst().json();
                }
            }
            assertThat(last.path("error").path("message").asString())
                    .isEqualTo("The server failed to answer this request.");
            assertThat(Client.reason(last)).isEqualTo("handler-failed");
        }
    }
}
