package dev.holdfast.verification.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.spec.McpSchema;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Why no Java client of the 2025 revisions is among those that survive a cut: the one of the SDK does not come back for the rest of a call. Shown on
 * the SDK alone, with a server of a page. Once this fails, it can be held to what {@code verification/mcp/cuts.test.mjs} holds the others to.
 */
final class SdkClientDoesNotResumeTest {

    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final List<String> resumed = new CopyOnWriteArrayList<>();

    @Test
    void a_stream_that_ended_early_is_not_resumed_though_it_had_an_id_and_a_retry() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/mcp", this::answer);
        server.start();
        String root = "http://127.0.0.1:" + server.getAddress().getPort();
        try (McpSyncClient client = McpClient.sync(
                        HttpClientStreamableHttpTransport.builder(root).build())
                .requestTimeout(PATIENCE)
                .build()) {
            client.initialize();
            assertThatThrownBy(() -> client.callTool(
                            McpSchema.CallToolRequest.builder("any").build()))
                    .isInstanceOf(RuntimeException.class);
            assertThat(resumed).isEmpty();
        } finally {
            server.stop(0);
        }
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            Optional.ofNullable(exchange.getRequestHeaders().getFirst("Last-Event-ID"))
                    .ifPresent(resumed::add);
            if (!exchange.getRequestMethod().equals("POST")) {
                exchange.sendResponseHeaders(405, -1);
                return;
            }
            JsonNode message =
                    JsonMapper.shared().readTree(exchange.getRequestBody().readAllBytes());
            switch (message.path("method").asString("")) {
                case "initialize" -> {
                    exchange.getResponseHeaders().set("Mcp-Session-Id", "session");
                    send(exchange, "application/json", """
                            {"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},
                            "serverInfo":{"name":"page","version":"1"}}}
                            """.formatted(message.path("id")));
                }
                // The begin of an answer, whose rest is to be fetched after a while.
                case "tools/call" -> send(exchange, "text/event-stream", "id: event-1\nretry: 10\ndata:\n\n");
                default -> exchange.sendResponseHeaders(202, -1);
            }
        }
    }

    private static void send(HttpExchange exchange, String type, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(200, bytes.length);
        exchange.getResponseBody().write(bytes);
    }
}
