package dev.holdfast.mcp.streamable;

import static org.assertj.core.api.Assertions.assertThat;

import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.spec.McpSchema;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The SDK's own client, which knows nothing of us. */
@Timeout(60)
final class StockClientTest {

    @TempDir
    private Path folder;

    private final List<String> logged = new CopyOnWriteArrayList<>();

    @SuppressWarnings("deprecation")
    private McpSyncClient client(Site site) {
        HttpClientStreamableHttpTransport transport = HttpClientStreamableHttpTransport.builder(
                        "http://127.0.0.1:" + site.port())
                .endpoint("/mcp")
                .build();
        return McpClient.sync(transport)
                .capabilities(
                        McpSchema.ClientCapabilities.builder().elicitation().build())
                .elicitation(request -> McpSchema.ElicitResult.builder(McpSchema.ElicitResult.Action.ACCEPT)
                        .build())
                .loggingConsumer(message -> logged.add(String.valueOf(message.data())))
                .requestTimeout(Duration.ofSeconds(30))
                .build();
    }

    private static String text(McpSchema.CallToolResult result) {
        return ((McpSchema.TextContent) result.content().getFirst()).text();
    }

    @Test
    void it_calls_is_logged_to_asked_and_told_and_comments_mean_nothing_to_it() throws Exception {
        try (Site site = new Site(folder, new Site.Plan().settings(s -> s.withHeartbeat(Duration.ofMillis(5))));
                McpSyncClient client = client(site)) {
            assertThat(client.initialize().protocolVersion()).isEqualTo("2025-11-25");
            assertThat(client.listTools().tools())
                    .extracting(McpSchema.Tool::name)
                    .contains("echo", "count");
            McpSchema.CallToolResult counted = client.callTool(McpSchema.CallToolRequest.builder("count")
                    .arguments(Map.of("n", 50))
                    .build());
            assertThat(text(counted)).isEqualTo("counted 50");
            Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> logged.size() == 50);
            assertThat(logged) // this client hands them on in whatever order its threads have
                    .containsExactlyInAnyOrderElementsOf(
                            IntStream.range(0, 50).mapToObj(String::valueOf).toList());

            var unused = site.script("a")
                    .later(exchange -> exchange.createElicitation(McpSchema.ElicitFormRequest.builder(
                                            "Really?", Map.of("type", "object", "properties", Map.of()))
                                    .build())
                            .action());
            site.script("a").finish("asked");
            assertThat(text(client.callTool(McpSchema.CallToolRequest.builder("script")
                            .arguments(Map.of("name", "a"))
                            .build())))
                    .isEqualTo("asked");
            assertThat(unused.join()).isEqualTo(McpSchema.ElicitResult.Action.ACCEPT);
        }
    }
}
