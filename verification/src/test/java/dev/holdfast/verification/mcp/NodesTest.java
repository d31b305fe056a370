package dev.holdfast.verification.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.mcp.client.TaskFollowing;
import dev.holdfast.verification.rig.RoundRobin;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.modern.client.transport.HttpClientMcpTransport;
import io.modelcontextprotocol.spec.McpSchema;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The published clients against three processes on one database, behind a proxy that gives each request to the next one. */
final class NodesTest {

    private static final int MINUTES = 3;

    /** Scenes of {@code nodes.test.mjs}: four of each of two clients, and three of tasks. */
    private static final int SCENES = 11;

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @TempDir
    private Path scratch;

    private Nodes nodes;
    private RoundRobin proxy;

    @BeforeEach
    void start() throws Exception {
        nodes = new Nodes(scratch);
        proxy = new RoundRobin(nodes.addresses());
    }

    @AfterEach
    void stop() {
        proxy.close();
        nodes.close();
    }

    @Test
    void the_clients_for_node_call_answer_resume_and_follow_tasks_without_a_node_of_their_own() throws Exception {
        McpProject.installed()
                .expectPassed("nodes.test.mjs", Map.of("MCP_URL", proxy.uri().toString()), MINUTES, "nodes", SCENES);
    }

    @Test
    void the_java_clients_call_answer_and_follow_tasks_without_a_node_of_their_own() {
        List<String> heard = new CopyOnWriteArrayList<>();
        try (McpSyncClient client = McpClient.sync(HttpClientStreamableHttpTransport.builder(
                                "http://" + proxy.uri().getAuthority())
                        .endpoint(proxy.uri().getPath())
                        .build())
                .requestTimeout(PATIENCE)
                .capabilities(
                        McpSchema.ClientCapabilities.builder().elicitation().build())
                .elicitation(question -> new McpSchema.ElicitResult(
                        McpSchema.ElicitResult.Action.ACCEPT, Map.of("username", "ann", "email", "ann@example.org")))
                .loggingConsumer(message -> heard.add(message.data()))
                .build()) {
            client.initialize();
            for (int i = 0; i < Nodes.COUNT; i++) {
                heard.clear();
                assertThat(legacyText(client, "count", Map.of("to", 5, "pauseMillis", 5)))
                        .isEqualTo("Counted to 5.");
                Awaitility.await()
                        .atMost(Duration.ofMinutes(2))
                        .untilAsserted(() -> assertThat(heard).containsExactlyInAnyOrder("1", "2", "3", "4", "5"));
                assertThat(legacyText(client, "test_elicitation", Map.of("message", "Who?")))
                        .contains("ann");
            }
        }
        var tasks = io.modelcontextprotocol.modern.client.McpClient.sync(TaskFollowing.of(
                        HttpClientMcpTransport.builder(proxy.uri()).build()))
                .clientInfo(io.modelcontextprotocol.modern.McpSchema.Implementation.builder("test", "1.0.0")
                        .build())
                .callTimeout(PATIENCE)
                .build();
        for (int i = 0; i < Nodes.COUNT; i++) {
            var result = tasks.tool("slow_compute_again")
                    .arguments(Map.of("seconds", 0.5, "label", "task " + i))
                    .call();
            assertThat(((io.modelcontextprotocol.modern.McpSchema.TextContent)
                                    result.content().getFirst())
                            .text())
                    .isEqualTo("task " + i + ": computed for 0.5 seconds");
        }
    }

    private static String legacyText(McpSyncClient client, String tool, Map<String, Object> arguments) {
        McpSchema.CallToolResult result = client.callTool(
                McpSchema.CallToolRequest.builder(tool).arguments(arguments).build());
        return ((McpSchema.TextContent) result.content().getFirst()).text();
    }
}
