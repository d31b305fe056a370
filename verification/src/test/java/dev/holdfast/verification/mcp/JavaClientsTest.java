package dev.holdfast.verification.mcp;

import static dev.holdfast.verification.rig.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.mcp.client.FollowedTask;
import dev.holdfast.mcp.client.TaskFollowing;
import dev.holdfast.verification.rig.LastingPort;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.modern.client.transport.HttpClientMcpTransport;
import io.modelcontextprotocol.spec.McpSchema;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The clients of the official Java SDK, of both eras, against real server processes. */
final class JavaClientsTest {

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final List<String> NUMBERS = List.of("1", "2", "3", "4", "5");
    private static final Map<String, Object> COUNT = Map.of("to", NUMBERS.size(), "pauseMillis", 5);

    @TempDir
    private Path scratch;

    private final List<String> heard = new CopyOnWriteArrayList<>();

    private McpSyncClient legacy(URI server) {
        return McpClient.sync(HttpClientStreamableHttpTransport.builder(root(server))
                        .endpoint(server.getPath())
                        .build())
                .requestTimeout(PATIENCE)
                .loggingConsumer(message -> heard.add(message.data()))
                .build();
    }

    /** This client hands each message to a thread of its own, and to the caller the answer before them perhaps, so it cannot say in which order they came. */
    private void assertEachHeardOnce() {
        await().untilAsserted(() -> assertThat(heard).containsExactlyInAnyOrderElementsOf(NUMBERS));
    }

    private static String root(URI server) {
        return "http://" + server.getAuthority();
    }

    private static String text(McpSchema.CallToolResult result) {
        return ((McpSchema.TextContent) result.content().getFirst()).text();
    }

    private static String count(McpSyncClient client) {
        return text(client.callTool(
                McpSchema.CallToolRequest.builder("count").arguments(COUNT).build()));
    }

    @Test
    void the_client_of_the_2025_revisions_goes_on_in_its_session_after_a_kill() {
        int port = LastingPort.find();
        FixtureProcess first = FixtureProcess.start(scratch, scratch.resolve("data"), port);
        try (McpSyncClient client = legacy(first.uri())) {
            client.initialize();
            assertThat(client.listTools().tools()).hasSizeGreaterThan(10);
            assertThat(count(client)).isEqualTo("Counted to 5.");
            assertEachHeardOnce();
            first.kill();
            try (FixtureProcess second = FixtureProcess.start(scratch, scratch.resolve("data"), port)) {
                assertThat(second.uri()).isEqualTo(first.uri());
                heard.clear();
                assertThat(count(client)).isEqualTo("Counted to 5.");
                assertEachHeardOnce();
            }
        } finally {
            first.close();
        }
    }

    @Test
    void the_client_of_2026_07_28_streams_and_is_told_when_its_answer_is_lost() throws Exception {
        McpProject project = McpProject.installed();
        try (FixtureProcess server = FixtureProcess.start(scratch, scratch.resolve("data"), 0);
                CuttingNetwork network = new CuttingNetwork(
                        project, server.uri(), "\"method\":\"tools/call\"", "[{\"frames\":2,\"bytes\":9}]")) {
            var cut = modern(
                    network.uri(), HttpClientMcpTransport.builder(network.uri()).build());
            assertThatThrownBy(() -> cut.tool("count")
                            .arguments(COUNT)
                            .progress(progress -> {})
                            .call())
                    .isInstanceOf(io.modelcontextprotocol.modern.client.McpResponseLostException.class);
            var result = cut.tool("count")
                    .arguments(COUNT)
                    .progress(progress -> heard.add(progress.message()))
                    .call();
            assertThat(modernText(result)).isEqualTo("Counted to 5.");
            assertThat(heard).isEqualTo(NUMBERS);
        }
    }

    @Test
    void the_decorated_client_follows_a_task_through_cuts_and_a_kill() throws Exception {
        McpProject project = McpProject.installed();
        int port = LastingPort.find();
        FixtureProcess first = FixtureProcess.start(scratch, scratch.resolve("data"), port);
        try (CuttingNetwork network = new CuttingNetwork(
                project,
                first.uri(),
                "\"method\":\"tasks/get\"",
                "[{\"frames\":0,\"bytes\":0},{\"frames\":0,\"bytes\":1},{\"frames\":0,\"bytes\":90}]")) {
            List<FollowedTask> seen = new CopyOnWriteArrayList<>();
            CompletableFuture<FollowedTask> begun = new CompletableFuture<>();
            var client = modern(
                    network.uri(),
                    TaskFollowing.builder(HttpClientMcpTransport.builder(network.uri())
                                    .build())
                            .onTask(task -> {
                                seen.add(task);
                                begun.complete(task);
                            })
                            .build());
            // Not on the common pool, which the JDK's HTTP client needs to go on.
            CompletableFuture<String> answer = new CompletableFuture<>();
            answer.completeAsync(
                    () -> modernText(client.tool("slow_compute_again")
                            .arguments(Map.of("seconds", 1.5, "label", "followed"))
                            .call()),
                    Thread::startVirtualThread);
            Object unused =
                    CompletableFuture.anyOf(begun, answer).get(1, TimeUnit.MINUTES); // a call that fails begins no task
            FollowedTask task = begun.join();
            first.kill();
            try (FixtureProcess second = FixtureProcess.start(scratch, scratch.resolve("data"), port)) {
                assertThat(answer.get(1, TimeUnit.MINUTES)).isEqualTo("followed: computed for 1.5 seconds");
                assertThat(seen).allMatch(each -> each.taskId().equals(task.taskId()));
                // Another client, which has only the id, ends as the first one did.
                var other = modern(
                        second.uri(),
                        TaskFollowing.of(
                                HttpClientMcpTransport.builder(second.uri()).build()));
                assertThat(modernText(other.tool("slow_compute_again")
                                .requestState(TaskFollowing.resume(task.taskId()))
                                .call()))
                        .isEqualTo("followed: computed for 1.5 seconds");
            }
        } finally {
            first.close();
        }
    }

    private static io.modelcontextprotocol.modern.client.McpSyncClient modern(
            URI server, io.modelcontextprotocol.modern.client.transport.McpClientTransport transport) {
        return io.modelcontextprotocol.modern.client.McpClient.sync(transport)
                .clientInfo(io.modelcontextprotocol.modern.McpSchema.Implementation.builder(server.getHost(), "1.0.0")
                        .build())
                .callTimeout(PATIENCE)
                .build();
    }

    private static String modernText(io.modelcontextprotocol.modern.McpSchema.CallToolResult result) {
        return ((io.modelcontextprotocol.modern.McpSchema.TextContent)
                        result.content().getFirst())
                .text();
    }
}
