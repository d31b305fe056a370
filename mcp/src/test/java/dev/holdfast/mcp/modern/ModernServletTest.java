package dev.holdfast.mcp.modern;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.http.Trust;
import dev.holdfast.http.servlet.HoldfastServlet;
import dev.holdfast.mcp.McpEndpoint;
import dev.holdfast.mcp.ModernCaller;
import dev.holdfast.mcp.TestTools;
import dev.holdfast.mcp.tasks.AfterRestart;
import dev.holdfast.mcp.tasks.DurableTasks;
import dev.holdfast.mcp.tasks.TaskPolicy;
import io.modelcontextprotocol.modern.McpSchema;
import io.modelcontextprotocol.modern.server.McpServer;
import io.modelcontextprotocol.modern.server.feature.ToolsFeature;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The same in a servlet container, with its asynchronous mode and without. */
class ModernServletTest {

    private static void until(Callable<Boolean> condition) {
        await().atMost(Duration.ofMinutes(2)).pollInterval(Duration.ofMillis(5)).until(condition);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void calls_streams_cuts_subscriptions_and_tasks_are_as_ever(boolean async, @TempDir Path folder) throws Exception {
        TestTools tools = new TestTools();
        Server jetty = new Server();
        try (Holdfast holdfast = Holdfast.open(folder);
                DurableTasks tasks = DurableTasks.builder(holdfast)
                        .tool("gate", TaskPolicy.always(), AfterRestart.FAIL)
                        .build()) {
            McpServer server = McpServer.builder()
                    .serverInfo(McpSchema.Implementation.builder("test", "1").build())
                    .feature(tasks.of(ToolsFeature.ofSync(tools)))
                    .subscriptions(tasks.changes())
                    .build();
            try (McpEndpoint endpoint = McpEndpoint.at("/mcp")
                    .modern(ModernEra.builder(server)
                            .keepAlive(Duration.ofMillis(50))
                            .build())
                    .build()) {
                ServerConnector connector = new ServerConnector(jetty);
                connector.setHost("127.0.0.1");
                jetty.addConnector(connector);
                ServletContextHandler context = new ServletContextHandler("/app");
                ServletHolder holder =
                        new ServletHolder(new HoldfastServlet(endpoint.handler(Trust.loopback("default"))));
                holder.setAsyncSupported(async);
                context.addServlet(holder, "/agents/*");
                jetty.setHandler(context);
                jetty.setStopTimeout(0);
                jetty.start();
                converse(
                        new ModernCaller(
                                URI.create("http://127.0.0.1:" + connector.getLocalPort() + "/app/agents/mcp")),
                        tools);
            }
        } finally {
            jetty.stop();
        }
    }

    private static void converse(ModernCaller caller, TestTools tools) {
        assertThat(caller.tool("greet", Map.of("name", "you")).status()).isEqualTo(200);
        assertThat(caller.ask("no/such", Map.of()).status()).isEqualTo(404);
        tools.open("told");
        assertThat(caller.tool("teller", Map.of("label", "told", "events", 2)).messages())
                .hasSize(5);

        Map<String, Object> call = Map.of("name", "teller", "arguments", Map.of("label", "cut", "events", 1));
        try (ModernCaller.Stream stream = caller.open("tools/call", call)) {
            assertThat(stream.next()).isNotNull();
            until(() -> tools.counted("came cut") == 1);
        }
        until(() -> tools.counted("interrupted cut") == 1);

        String task = caller.task("gate", Map.of("label", "task"));
        try (ModernCaller.Stream listening =
                caller.open("subscriptions/listen", Map.of("notifications", Map.of("taskIds", List.of(task))))) {
            assertThat(Objects.requireNonNull(listening.next()).path("method").stringValue())
                    .isEqualTo("notifications/subscriptions/acknowledged");
            assertThat(Objects.requireNonNull(listening.next())
                            .path("params")
                            .path("status")
                            .stringValue())
                    .isEqualTo("working");
            tools.open("task");
            assertThat(Objects.requireNonNull(listening.next())
                            .path("params")
                            .path("status")
                            .stringValue())
                    .isEqualTo("completed");
        }
        assertThat(caller.ask("tasks/stream", Map.of("taskId", task)).messages())
                .hasSize(3);
    }
}
