package dev.holdfast.examples.mcp.documents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.examples.mcp.Arguments;
import dev.holdfast.mcp.client.FollowedTask;
import dev.holdfast.mcp.client.TaskFollowing;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.modern.McpSchema.Implementation;
import io.modelcontextprotocol.modern.client.transport.HttpClientMcpTransport;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example as both kinds of clients see it. */
final class DocumentServerTest {

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final int DOCUMENTS = 8;

    @TempDir
    private Path scratch;

    private Path documents;

    @BeforeEach
    void documents() throws IOException {
        Files.writeString(scratch.resolve("secret.txt"), "outside");
        documents = Files.createDirectories(scratch.resolve("documents"));
        for (int i = 1; i <= DOCUMENTS; i++) {
            Files.writeString(documents.resolve(i + ".md"), "Ships number " + i);
        }
    }

    private DocumentServer start(String... options) throws IOException {
        String[] arguments = new String[options.length + 3];
        arguments[0] = documents.toString();
        arguments[1] = "--data";
        arguments[2] = scratch.resolve("data").toString();
        System.arraycopy(options, 0, arguments, 3, options.length);
        return DocumentServer.start(arguments);
    }

    @Test
    void clients_of_2025_list_read_search_and_follow_the_index() throws Exception {
        List<String> progress = new CopyOnWriteArrayList<>();
        try (DocumentServer server = start();
                McpSyncClient client = McpClient.sync(HttpClientStreamableHttpTransport.builder(
                                        server.url().replace("/mcp", ""))
                                .build())
                        .requestTimeout(PATIENCE)
                        .progressConsumer(each -> progress.add(each.message()))
                        .build()) {
            client.initialize();
            assertThat(client.listResources().resources()).hasSize(DOCUMENTS);
            assertThat(read(client, "document:///3.md")).isEqualTo("Ships number 3");
            assertThatThrownBy(() -> read(client, "document:///..%2Fsecret.txt"))
                    .isInstanceOf(McpError.class);
            assertThat(call(client, Tools.SEARCH, Map.of("text", "NUMBER 5"))).isEqualTo("5.md:1: Ships number 5");
            assertThat(call(client, Tools.LIST, Map.of())).contains("1.md (14 bytes) document:///1.md");
            assertThat(call(client, Tools.INDEX, Map.of())).startsWith("8 documents with 16 words.");
            // this client hands on what it was told on threads of its own, and the answer may come first
            Awaitility.await().atMost(PATIENCE).until(() -> progress.size() == DOCUMENTS);
            assertThat(progress).contains("1.md", "8.md").doesNotHaveDuplicates();
        }
    }

    private static String read(McpSyncClient client, String uri) {
        McpSchema.ReadResourceResult result =
                client.readResource(McpSchema.ReadResourceRequest.builder(uri).build());
        return ((McpSchema.TextResourceContents) result.contents().getFirst()).text();
    }

    private static String call(McpSyncClient client, String tool, Map<String, Object> arguments) {
        McpSchema.CallToolResult result = client.callTool(McpSchema.CallToolRequest.builder(tool)
                .arguments(arguments)
                .progressToken("token")
                .build());
        return ((McpSchema.TextContent) result.content().getFirst()).text();
    }

    @Test
    void an_index_that_takes_long_is_a_task_that_another_server_process_finishes() throws Exception {
        CompletableFuture<FollowedTask> begun = new CompletableFuture<>();
        try (DocumentServer server = start("--pace", "400")) {
            var client = modern(server, begun);
            assertThat(client.resources().list().resources()).hasSize(DOCUMENTS);
            Thread call = Thread.startVirtualThread(
                    () -> assertThatThrownBy(() -> client.tool(Tools.INDEX).call())
                            .isInstanceOf(CancellationException.class));
            begun.join();
            call.interrupt(); // this client is of no interest any more
        }
        try (DocumentServer server = start()) {
            var result = modern(server, new CompletableFuture<>())
                    .tool(Tools.INDEX)
                    .requestState(TaskFollowing.resume(begun.join().taskId()))
                    .call();
            assertThat(result.content().getFirst().toString()).contains("8 documents with 16 words.");
        }
    }

    private static io.modelcontextprotocol.modern.client.McpSyncClient modern(
            DocumentServer server, CompletableFuture<FollowedTask> begun) {
        URI uri = URI.create(server.url());
        return io.modelcontextprotocol.modern.client.McpClient.sync(TaskFollowing.builder(
                                HttpClientMcpTransport.builder(uri).build())
                        .onTask(begun::complete)
                        .keepTasksOfCancelledCalls()
                        .build())
                .clientInfo(Implementation.builder("test", "1.0.0").build())
                .build();
    }

    @Test
    void wrong_arguments_say_what_to_change() {
        assertThatThrownBy(() -> DocumentServer.start(new String[] {}))
                .isInstanceOf(Arguments.Wrong.class)
                .hasMessage("Name one folder of documents.");
        assertThatThrownBy(() -> start("--pace", "fast"))
                .hasMessage("--pace is a whole number from 0 on, and not \"fast\".");
        assertThatThrownBy(() -> start("--fast")).hasMessage("There is no option --fast.");
        assertThatThrownBy(() -> start("--port")).hasMessage("--port needs a value.");
        assertThatThrownBy(() -> start("--port", "70000")).hasMessageContaining("to 65535, and not 70000");
        assertThatThrownBy(() -> DocumentServer.start(
                        new String[] {scratch.resolve("none").toString()}))
                .isInstanceOf(IOException.class)
                .hasMessageEndingWith("is not a folder; name one with documents.");
    }
}
