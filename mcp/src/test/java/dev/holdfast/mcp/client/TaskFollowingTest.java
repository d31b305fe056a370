package dev.holdfast.mcp.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.mcp.Apart;
import dev.holdfast.mcp.ModernCaller;
import dev.holdfast.mcp.ModernServer;
import dev.holdfast.mcp.TestTools;
import dev.holdfast.mcp.tasks.AfterRestart;
import dev.holdfast.mcp.tasks.DurableTasks;
import dev.holdfast.mcp.tasks.TaskPolicy;
import dev.holdfast.mcp.tasks.TaskSettings;
import io.modelcontextprotocol.modern.JsonRpc.JSONRPCMessage;
import io.modelcontextprotocol.modern.McpException;
import io.modelcontextprotocol.modern.McpSchema.CallToolResult;
import io.modelcontextprotocol.modern.McpSchema.ElicitResult;
import io.modelcontextprotocol.modern.McpSchema.TextContent;
import io.modelcontextprotocol.modern.client.McpAsyncClient;
import io.modelcontextprotocol.modern.client.McpClient;
import io.modelcontextprotocol.modern.client.McpSyncClient;
import io.modelcontextprotocol.modern.client.McpTimeoutException;
import io.modelcontextprotocol.modern.client.transport.HttpClientMcpTransport;
import io.modelcontextprotocol.modern.client.transport.McpClientTransport;
import io.modelcontextprotocol.modern.client.transport.McpTransportRequest;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The SDK's own clients, with tasks followed for them. */
class TaskFollowingTest {

    private final TestTools tools = new TestTools();
    private final List<FollowedTask> seen = new CopyOnWriteArrayList<>();
    private Path folder;
    private ModernServer server;
    private volatile URI uri;

    @BeforeEach
    void start(@TempDir Path given) {
        folder = given;
        restart();
    }

    private void restart() {
        if (server != null) {
            server.close();
        }
        server = ModernServer.tasks(Holdfast.open(folder), tools, TaskFollowingTest::rules);
        uri = server.uri();
    }

    private static DurableTasks.Builder rules(DurableTasks.Builder tasks) {
        return tasks.tool("gate", TaskPolicy.always(), AfterRestart.RERUN)
                .tool("patient_gate", TaskPolicy.always(), AfterRestart.FAIL)
                .tool("teller", TaskPolicy.after(Duration.ofMillis(300)), AfterRestart.FAIL)
                .tool("broken", TaskPolicy.always(), AfterRestart.FAIL)
                .tool("protocol_error_job", TaskPolicy.always(), AfterRestart.FAIL)
                .tool("failing_job", TaskPolicy.required(), AfterRestart.FAIL)
                .tool("confirm_delete", TaskPolicy.always(), AfterRestart.FAIL)
                .tool("multi_input", TaskPolicy.always(), AfterRestart.FAIL)
                .tool("rounds", TaskPolicy.always(), AfterRestart.FAIL)
                .tool("test_tool_with_task", TaskPolicy.required().inputFirst(), AfterRestart.FAIL)
                .settings(TaskSettings.defaults().withPollInterval(Duration.ofMillis(20)));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    /** Carries requests to wherever the server is at the moment. */
    private final class Wherever implements McpClientTransport {
        @Override
        public Flux<JSONRPCMessage> exchange(McpTransportRequest request) {
            return HttpClientMcpTransport.builder(uri).build().exchange(request);
        }
    }

    private TaskFollowing following() {
        return TaskFollowing.builder(new Wherever()).onTask(seen::add).build();
    }

    private McpSyncClient client() {
        return McpClient.sync(following()).build();
    }

    private static String text(CallToolResult result) {
        return ((TextContent) result.content().getFirst()).text();
    }

    private static void until(Callable<Boolean> condition) {
        await().atMost(Duration.ofMinutes(2)).pollInterval(Duration.ofMillis(5)).until(condition);
    }

    private static ElicitResult accept(String text) {
        return ElicitResult.accept(Map.of("answer", text));
    }

    @Test
    void a_call_that_is_a_task_looks_like_a_call_that_took_long() {
        tools.open("a");
        assertThat(text(client().tool("gate").arguments(Map.of("label", "a")).call()))
                .isEqualTo("through a");
        assertThat(seen.getFirst().tool()).isEqualTo("gate");
        assertThat(seen.getFirst().status()).isEqualTo("working");
        assertThat(seen.getLast().status()).isEqualTo("completed");
        assertThat(seen.stream().map(FollowedTask::taskId).distinct()).hasSize(1);
    }

    @Test
    void a_client_that_is_not_decorated_gets_no_task() {
        tools.open("a");
        McpSyncClient plain = McpClient.sync(new Wherever()).build();
        assertThat(text(plain.tool("gate").arguments(Map.of("label", "a")).call()))
                .isEqualTo("through a");
        assertThatThrownBy(() -> plain.tool("failing_job").call()).hasMessageContaining("capability");
    }

    @Test
    void everything_else_goes_through() {
        McpSyncClient client = client();
        assertThat(client.discover().capabilities().extensions()).containsKey(ModernCaller.TASKS);
        assertThat(text(client.tool("greet").arguments(Map.of("name", "you")).call()))
                .isEqualTo("Hello, you!");
        assertThat(seen).isEmpty();
    }

    @Test
    void progress_is_told_until_the_call_becomes_a_task_and_the_result_comes_then() {
        List<Double> progress = new CopyOnWriteArrayList<>();
        CompletableFuture<CallToolResult> result = Apart.run(() -> client().tool("teller")
                .arguments(Map.of("label", "a", "events", 3))
                .progress(told -> progress.add(told.progress()))
                .call());
        until(() -> !seen.isEmpty());
        assertThat(progress).containsExactly(1.0, 2.0, 3.0);
        tools.open("a");
        assertThat(text(result.join())).isEqualTo("told a");
    }

    @Test
    void an_error_that_a_tool_reports_is_a_result() {
        CallToolResult result = client().tool("broken").call();
        assertThat(result.isError()).isTrue();
        assertThat(text(result)).isEqualTo("it is broken");
    }

    @Test
    void a_json_rpc_error_is_thrown_with_its_code_and_data() {
        assertThatThrownBy(() -> client().tool("protocol_error_job").call())
                .isInstanceOfSatisfying(McpException.class, e -> {
                    assertThat(e.error().code()).isEqualTo(-32603);
                    assertThat(e.error().message()).isEqualTo("the job panicked");
                    assertThat(e.error().data()).isEqualTo(Map.of("why", "test"));
                });
    }

    @Test
    void what_a_task_asks_is_put_to_the_clients_own_handlers() {
        List<String> asked = new ArrayList<>();
        CallToolResult result = client().tool("confirm_delete")
                .arguments(Map.of("filename", "f"))
                .formElicitation(form -> {
                    asked.add(form.message());
                    return accept("yes");
                })
                .call();
        assertThat(text(result)).startsWith("deleted f").contains("yes");
        assertThat(asked).containsExactly("Delete?");
    }

    @Test
    void several_questions_and_several_rounds_are_answered_once_each() {
        List<String> asked = new ArrayList<>();
        McpSyncClient client = McpClient.sync(following())
                .formElicitation(form -> {
                    asked.add(form.message());
                    return accept("answer " + asked.size());
                })
                .build();
        assertThat(text(client.tool("multi_input").call())).contains("answer 1", "answer 2");
        assertThat(asked).containsExactlyInAnyOrder("First?", "Second?");
        asked.clear();
        assertThat(text(client.tool("rounds").arguments(Map.of("rounds", 4)).call()))
                .contains("4 times")
                .contains("answer 4");
        assertThat(asked).containsExactly("Again 0?", "Again 1?", "Again 2?", "Again 3?");
    }

    @Test
    void questions_before_the_task_and_the_task_make_one_call() {
        CallToolResult result = client().tool("test_tool_with_task")
                .formElicitation(form -> accept("Alice"))
                .call();
        assertThat(text(result)).startsWith("done for").contains("Alice");
        assertThat(seen).isNotEmpty();
    }

    @Test
    void the_asynchronous_client_follows_as_well() {
        McpAsyncClient client = McpClient.async(following()).build();
        tools.open("a");
        CallToolResult result = client.tool("confirm_delete")
                .arguments(Map.of("filename", "f"))
                .formElicitation(form -> Mono.just(accept("yes")))
                .call()
                .block();
        assertThat(result).isNotNull();
        assertThat(text(result)).startsWith("deleted f");
    }

    @Test
    void a_call_whose_time_is_over_cancels_its_task() {
        assertThatThrownBy(() -> client().tool("gate")
                        .arguments(Map.of("label", "a"))
                        .callTimeout(Duration.ofMillis(500))
                        .call())
                .isInstanceOf(McpTimeoutException.class);
        until(() -> tools.counted("interrupted a") == 1);
        assertThat(new ModernCaller(uri).status(seen.getFirst().taskId())).isEqualTo("cancelled");
    }

    @Test
    void a_call_that_is_disposed_cancels_its_task_unless_it_is_to_be_kept() {
        for (boolean keeps : List.of(false, true)) {
            seen.clear();
            String label = "l" + keeps;
            TaskFollowing.Builder builder =
                    TaskFollowing.builder(new Wherever()).onTask(seen::add);
            McpAsyncClient client = McpClient.async(
                            keeps ? builder.keepTasksOfCancelledCalls().build() : builder.build())
                    .build();
            var call =
                    client.tool("gate").arguments(Map.of("label", label)).call().subscribe();
            until(() -> tools.counted("came " + label) == 1 && !seen.isEmpty());
            call.dispose();
            String task = seen.getFirst().taskId();
            if (keeps) {
                tools.open(label);
                until(() -> new ModernCaller(uri).status(task).equals("completed"));
            } else {
                until(() -> new ModernCaller(uri).status(task).equals("cancelled"));
            }
        }
    }

    @Test
    void a_task_that_someone_else_cancels_is_told_as_that() {
        CompletableFuture<CallToolResult> result = Apart.run(
                () -> client().tool("gate").arguments(Map.of("label", "a")).call());
        until(() -> !seen.isEmpty());
        String task = seen.getFirst().taskId();
        assertThat(new ModernCaller(uri).cancel(task).result()).isNotNull();
        assertThatThrownBy(result::join)
                .hasCauseInstanceOf(TaskCancelledException.class)
                .hasMessageContaining(task);
    }

    @Test
    void a_restart_of_the_server_is_not_noticed_where_the_tool_may_run_again() {
        CompletableFuture<CallToolResult> result = Apart.run(
                () -> client().tool("gate").arguments(Map.of("label", "a")).call());
        until(() -> tools.counted("came a") == 1 && !seen.isEmpty());
        restart();
        until(() -> tools.counted("came a") == 2);
        tools.open("a");
        assertThat(text(result.join())).isEqualTo("through a");
    }

    @Test
    void a_restart_of_the_server_is_an_error_where_the_tool_may_not_run_again() {
        CompletableFuture<CallToolResult> result = Apart.run(() ->
                client().tool("patient_gate").arguments(Map.of("label", "a")).call());
        until(() -> tools.counted("came a") == 1 && !seen.isEmpty());
        restart();
        assertThatThrownBy(result::join)
                .cause()
                .isInstanceOfSatisfying(
                        McpException.class,
                        e -> assertThat(e.error().data()).isEqualTo(Map.of("reason", "server-restarted")));
    }

    @Test
    void a_question_survives_a_restart_of_the_server_while_its_client_thinks() {
        CallToolResult result = client().tool("confirm_delete")
                .arguments(Map.of("filename", "f"))
                .formElicitation(form -> {
                    restart();
                    return accept("yes");
                })
                .call();
        assertThat(text(result)).startsWith("deleted f").contains("yes");
    }

    @Test
    void a_client_that_was_started_again_goes_on_with_a_task_by_its_id() {
        String task = new ModernCaller(uri).task("gate", Map.of("label", "a"));
        CompletableFuture<CallToolResult> result = Apart.run(() ->
                client().tool("gate").requestState(TaskFollowing.resume(task)).call());
        until(() -> !seen.isEmpty());
        tools.open("a");
        assertThat(text(result.join())).isEqualTo("through a");
        assertThat(tools.counted("came a")).isEqualTo(1);
        assertThat(text(client().tool("gate")
                        .requestState(TaskFollowing.resume(task))
                        .call()))
                .isEqualTo("through a");
        assertThat(tools.counted("came a")).isEqualTo(1);
    }

    @Test
    void a_client_that_was_started_again_answers_what_a_task_asked_before() {
        String task = new ModernCaller(uri).task("confirm_delete", Map.of("filename", "f"));
        CallToolResult result = client().tool("confirm_delete")
                .requestState(TaskFollowing.resume(task))
                .formElicitation(form -> accept("yes"))
                .call();
        assertThat(text(result)).startsWith("deleted f").contains("yes");
    }

    @Test
    void a_task_that_is_not_there_any_more_is_an_error_with_the_servers_words() {
        assertThatThrownBy(() -> client().tool("gate")
                        .requestState(TaskFollowing.resume("D".repeat(27)))
                        .call())
                .isInstanceOfSatisfying(
                        McpException.class, e -> assertThat(e.error().code()).isEqualTo(-32602))
                .hasMessageContaining("no such task");
    }

    @Test
    void a_server_that_stays_away_is_given_up_after_a_while() {
        McpSyncClient client = McpClient.sync(TaskFollowing.builder(new Wherever())
                        .onTask(seen::add)
                        .patience(Duration.ofMillis(300))
                        .build())
                .build();
        CompletableFuture<CallToolResult> result = Apart.run(
                () -> client.tool("gate").arguments(Map.of("label", "a")).call());
        until(() -> !seen.isEmpty());
        server.close();
        assertThatThrownBy(result::join).isNotNull();
        server = ModernServer.tasks(Holdfast.open(folder), tools, TaskFollowingTest::rules);
    }

    @Test
    void a_listener_that_fails_stops_nothing() {
        tools.open("a");
        McpSyncClient client = McpClient.sync(TaskFollowing.builder(new Wherever())
                        .onTask(task -> {
                            throw new IllegalStateException("a defect of the application");
                        })
                        .build())
                .build();
        assertThat(text(client.tool("gate").arguments(Map.of("label", "a")).call()))
                .isEqualTo("through a");
    }
}
