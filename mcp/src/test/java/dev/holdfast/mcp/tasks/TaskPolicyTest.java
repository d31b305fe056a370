package dev.holdfast.mcp.tasks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.mcp.ModernCaller;
import dev.holdfast.mcp.ModernCaller.Answer;
import dev.holdfast.mcp.ModernServer;
import dev.holdfast.stream.StreamListing;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Which calls become tasks, and when; and what a cut connection does to them. */
class TaskPolicyTest extends TaskTest {

    private static final Duration SOON = Duration.ofMillis(200);

    @Override
    DurableTasks.Builder rules(DurableTasks.Builder tasks) {
        return tasks.tool("broken", TaskPolicy.always(), AfterRestart.FAIL)
                .tool("failing_job", TaskPolicy.required(), AfterRestart.FAIL)
                .tool("greet", TaskPolicy.onRequest(), AfterRestart.FAIL)
                .tool("gate", TaskPolicy.after(SOON), AfterRestart.FAIL)
                .tool("teller", TaskPolicy.after(SOON), AfterRestart.FAIL)
                .tool("patient_gate", TaskPolicy.after(Duration.ofHours(1)), AfterRestart.FAIL)
                .tool("patient_teller", TaskPolicy.after(Duration.ofHours(1)), AfterRestart.FAIL)
                .tool("confirm_delete", TaskPolicy.required().inputFirst(), AfterRestart.FAIL)
                .settings(quick());
    }

    /** Cuts are noticed soon. */
    @Override
    ModernServer start(Holdfast opened) {
        return ModernServer.tasks(opened, tools, this::rules, era -> era.keepAlive(Duration.ofMillis(50)));
    }

    private long tasks() {
        return holdfast()
                .streams()
                .list(StreamListing.all().tagged(TaskLog.TAG))
                .size();
    }

    @Test
    void a_tool_without_a_policy_is_called_as_ever() {
        JsonNode result = caller().tool("test_tool_with_task", Map.of()).result();
        assertThat(result.path("resultType").stringValue()).isEqualTo("input_required");
        assertThat(tasks()).isZero();
    }

    @Test
    void whoever_does_not_declare_the_extension_never_gets_a_task() {
        tools.open("a");
        ModernCaller undeclared = caller().undeclared();
        assertThat(undeclared
                        .tool("broken", Map.of())
                        .result()
                        .path("resultType")
                        .stringValue())
                .isEqualTo("complete");
        assertThat(text(undeclared.tool("gate", Map.of("label", "a")).result())).isEqualTo("through a");
        assertThat(text(undeclared
                        .ask(
                                "tools/call",
                                Map.of(
                                        "name",
                                        "greet",
                                        "arguments",
                                        Map.of("name", "you"),
                                        "_meta",
                                        Map.of(TaskPolicy.REQUEST_META, true)))
                        .result()))
                .isEqualTo("Hello, you!");
        assertThat(tasks()).isZero();
    }

    @Test
    void a_required_task_is_refused_to_whoever_does_not_declare_the_extension() {
        Answer refused = caller().undeclared().tool("failing_job", Map.of());
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.code()).isEqualTo(-32021);
        assertThat(refused.error()
                        .path("data")
                        .path("requiredCapabilities")
                        .path("extensions")
                        .path(ModernCaller.TASKS)
                        .isObject())
                .isTrue();
        assertThat(caller().tool("failing_job", Map.of())
                        .result()
                        .path("resultType")
                        .stringValue())
                .isEqualTo("task");
    }

    @Test
    void on_request_a_call_is_a_task_if_it_says_so() {
        Map<String, Object> call = Map.of("name", "greet", "arguments", Map.of("name", "you"));
        assertThat(text(caller().ask("tools/call", call).result())).isEqualTo("Hello, you!");

        Map<String, Object> asking = Map.of(
                "name",
                "greet",
                "arguments",
                Map.of("name", "you"),
                "_meta",
                Map.of(TaskPolicy.REQUEST_META, Map.of()));
        JsonNode handle = caller().ask("tools/call", asking).result();
        assertThat(handle.path("resultType").stringValue()).isEqualTo("task");
        JsonNode done = awaitStatus(handle.path("taskId").stringValue(), "completed");
        assertThat(text(done.path("result"))).isEqualTo("Hello, you!");
    }

    @Test
    void a_call_that_is_soon_done_is_no_task() {
        tools.open("a");
        Answer answer = caller().tool("gate", Map.of("label", "a"));
        assertThat(text(answer.result())).isEqualTo("through a");
        assertThat(tasks()).isZero();
    }

    @Test
    void a_call_that_takes_long_becomes_a_task_without_being_called_again() {
        JsonNode handle = caller().tool("gate", Map.of("label", "a")).result();
        assertThat(handle.path("resultType").stringValue()).isEqualTo("task");
        tools.open("a");
        JsonNode done = awaitStatus(handle.path("taskId").stringValue(), "completed");
        assertThat(text(done.path("result"))).isEqualTo("through a");
        assertThat(tools.counted("came a")).isEqualTo(1);
        assertThat(tools.counted("interrupted a")).isZero();
    }

    @Test
    void a_call_that_tells_of_its_progress_tells_its_caller_first_and_its_log_then() {
        Answer answer = caller().tool("teller", Map.of("label", "a", "events", 2));
        assertThat(answer.messages().stream()
                        .map(message -> message.path("method").asString("result")))
                .containsExactly("notifications/progress", "notifications/progress", "notifications/message", "result");
        String task = answer.result().path("taskId").stringValue();
        assertThat(answer.result().path("resultType").stringValue()).isEqualTo("task");

        tools.open("a");
        awaitStatus(task, "completed");
        List<JsonNode> events = events(task, -1);
        assertThat(types(events)).containsExactly("created", "progress", "outcome");
        assertThat(events.get(1).path("data").path("message").stringValue()).isEqualTo("last");
    }

    @Test
    void a_call_that_is_cut_before_it_is_a_task_is_cancelled() {
        Map<String, Object> call = Map.of("name", "patient_teller", "arguments", Map.of("label", "a", "events", 1));
        try (ModernCaller.Stream stream = caller().open("tools/call", call)) {
            assertThat(stream.next()).isNotNull();
            until(() -> tools.counted("came a") == 1);
        }
        until(() -> tools.counted("interrupted a") == 1);
        assertThat(tasks()).isZero();
    }

    @Test
    void a_silent_call_that_is_cut_before_it_is_a_task_is_cancelled() {
        Map<String, Object> call = Map.of("name", "patient_gate", "arguments", Map.of("label", "a"));
        try (ModernCaller.Stream stream = caller().open("tools/call", call)) {
            assertThat(stream.line()).isEqualTo(":");
            until(() -> tools.counted("came a") == 1);
        }
        until(() -> tools.counted("interrupted a") == 1);
        assertThat(tasks()).isZero();
    }

    @Test
    void a_task_outlives_the_cut_of_its_request() {
        JsonNode handle =
                caller().tool("teller", Map.of("label", "a", "events", 1)).result();
        tools.open("a");
        awaitStatus(handle.path("taskId").stringValue(), "completed");
        assertThat(tools.counted("interrupted a")).isZero();
    }

    @Test
    void first_questions_are_asked_before_there_is_a_task() {
        JsonNode asked =
                caller().tool("confirm_delete", Map.of("filename", "f")).result();
        assertThat(asked.path("resultType").stringValue()).isEqualTo("input_required");
        assertThat(asked.has("taskId")).isFalse();
        assertThat(tasks()).isZero();

        JsonNode handle = caller().ask(
                        "tools/call",
                        Map.of(
                                "name", "confirm_delete",
                                "arguments", Map.of("filename", "f"),
                                "inputResponses", Map.of("confirm", answer("yes")),
                                "requestState", asked.path("requestState").stringValue()))
                .result();
        assertThat(handle.path("resultType").stringValue()).isEqualTo("task");
        assertThat(handle.has("requestState")).isFalse();
        JsonNode done = awaitStatus(handle.path("taskId").stringValue(), "completed");
        assertThat(text(done.path("result"))).startsWith("deleted f").contains("yes");
    }

    @Test
    void a_policy_of_no_patience_is_refused() {
        assertThatThrownBy(() -> TaskPolicy.after(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void one_object_decorates_one_feature() {
        DurableTasks tasks = DurableTasks.builder(holdfast()).build();
        var feature = io.modelcontextprotocol.modern.server.feature.ToolsFeature.ofSync(tools);
        var unused = tasks.of(feature);
        assertThatThrownBy(() -> tasks.of(feature)).isInstanceOf(IllegalStateException.class);
        tasks.close();
    }
}
