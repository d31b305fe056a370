package dev.holdfast.mcp.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.mcp.Apart;
import dev.holdfast.mcp.FaultyStore;
import dev.holdfast.mcp.ModernCaller;
import dev.holdfast.mcp.ModernCaller.Answer;
import dev.holdfast.mcp.ModernServer;
import dev.holdfast.mcp.TestTools;
import dev.holdfast.store.StoreProvider;
import dev.holdfast.stream.StreamListing;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Nothing is told before its commit (VISIBLE-IS-DURABLE), and what the store refuses did not happen. */
class TaskDurabilityTest {

    private final TestTools tools = new TestTools();
    private FaultyStore store;
    private Holdfast holdfast;
    private ModernServer server;
    private ModernCaller caller;

    @BeforeEach
    void open(@TempDir Path folder) {
        HoldfastSettings settings = HoldfastSettings.defaults();
        StoreProvider provider =
                ServiceLoader.load(StoreProvider.class).findFirst().orElseThrow();
        store = new FaultyStore(provider.open(folder, settings.store()));
        holdfast = Holdfast.open(store, settings);
        server = ModernServer.tasks(
                holdfast,
                tools,
                tasks -> tasks.tool("gate", TaskPolicy.always(), AfterRestart.FAIL)
                        .tool("patient_gate", TaskPolicy.after(Duration.ofMillis(50)), AfterRestart.FAIL)
                        .tool("multi_input", TaskPolicy.always(), AfterRestart.FAIL)
                        .settings(TaskSettings.defaults()
                                .withPollInterval(Duration.ofMillis(20))
                                .withMaxUnfinished(1, 1)));
        caller = new ModernCaller(server.uri());
    }

    @AfterEach
    void close() {
        store.full(false);
        store.release();
        server.close();
    }

    private long tasks() {
        return holdfast.streams().list(StreamListing.all()).size();
    }

    @Test
    void no_handle_leaves_before_the_commit_and_none_if_it_fails() throws Exception {
        store.hold();
        CompletableFuture<Answer> answer = Apart.run(() -> caller.tool("gate", Map.of("label", "a")));
        store.awaitHeld();
        assertThat(answer).isNotDone();
        store.full(true);
        store.release();

        assertThat(answer.join().code()).isEqualTo(-32603);
        assertThat(answer.join().response().toString()).doesNotContain("taskId");
        assertThat(tools.counted("came a")).isZero();
        assertThat(tasks()).isZero();
    }

    @Test
    void a_place_is_given_back_by_a_task_that_could_not_be_made() {
        store.full(true);
        assertThat(caller.tool("gate", Map.of("label", "a")).code()).isEqualTo(-32603);
        store.full(false);
        tools.open("a");
        assertThat(caller.task("gate", Map.of("label", "a"))).hasSize(27);
    }

    @Test
    void a_call_that_cannot_become_a_task_in_time_is_cancelled_and_says_so() {
        store.full(true);
        assertThat(caller.tool("patient_gate", Map.of("label", "a")).code()).isEqualTo(-32603);
        TaskTest.until(() -> tools.counted("interrupted a") == 1);
        assertThat(tasks()).isZero();
    }

    @Test
    void a_result_that_cannot_be_written_is_written_when_there_is_room_and_not_shown_before() {
        String task = caller.task("gate", Map.of("label", "a"));
        store.full(true);
        tools.open("a");
        TaskTest.until(() -> tools.counted("passed a") == 1);
        assertThat(caller.status(task)).isEqualTo("working");
        store.full(false);
        TaskTest.until(() -> caller.status(task).equals("completed"));
    }

    @Test
    void a_cancellation_that_cannot_be_written_is_not_acknowledged_and_interrupts_nothing() {
        String task = caller.task("gate", Map.of("label", "a"));
        TaskTest.until(() -> tools.counted("came a") == 1);
        store.full(true);
        assertThat(caller.cancel(task).code()).isEqualTo(-32603);
        assertThat(caller.status(task)).isEqualTo("working");
        assertThat(tools.counted("interrupted a")).isZero();
        store.full(false);
        tools.open("a");
        TaskTest.until(() -> caller.status(task).equals("completed"));
    }

    @Test
    void an_answer_that_cannot_be_written_is_not_acknowledged_and_can_be_given_again() {
        String task = caller.task("multi_input", Map.of());
        TaskTest.until(() -> caller.status(task).equals("input_required"));
        JsonNode before = caller.get(task);
        Map<String, Object> answers = new java.util.LinkedHashMap<>();
        before.path("inputRequests").propertyNames().forEach(key -> answers.put(key, TaskTest.answer("x")));
        store.full(true);
        assertThat(caller.update(task, answers).code()).isEqualTo(-32603);
        assertThat(caller.get(task)).isEqualTo(before);
        store.full(false);
        assertThat(caller.update(task, answers).result()).isNotNull();
        TaskTest.until(() -> caller.status(task).equals("completed"));
    }

    @Test
    void questions_that_cannot_be_written_are_asked_when_there_is_room() {
        tools.plain("multi_input", (ctx, request) -> {
            if (request.inputResponses() == null) {
                tools.pass("asking");
                return io.modelcontextprotocol.modern.McpSchema.InputRequiredResult.builder()
                        .elicit(
                                "q",
                                io.modelcontextprotocol.modern.McpSchema.ElicitFormRequest.builder(
                                                "Q?", Map.of("type", "object"))
                                        .build())
                        .build();
            }
            return TestTools.text("answered");
        });
        String task = caller.task("multi_input", Map.of());
        store.full(true);
        tools.open("asking");
        TaskTest.until(() -> tools.counted("passed asking") == 1);
        assertThat(caller.status(task)).isEqualTo("working");
        store.full(false);
        TaskTest.until(() -> caller.status(task).equals("input_required"));
        caller.update(
                task,
                Map.of(
                        caller.get(task)
                                .path("inputRequests")
                                .propertyNames()
                                .iterator()
                                .next(),
                        TaskTest.answer("x")));
        TaskTest.until(() -> caller.status(task).equals("completed"));
    }
}
