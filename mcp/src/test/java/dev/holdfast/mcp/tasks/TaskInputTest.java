package dev.holdfast.mcp.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Questions that a tool asks while it is a task. */
class TaskInputTest extends TaskTest {

    @Override
    DurableTasks.Builder rules(DurableTasks.Builder tasks) {
        return tasks.tool("confirm_delete", TaskPolicy.always(), AfterRestart.FAIL)
                .tool("multi_input", TaskPolicy.always(), AfterRestart.FAIL)
                .tool("rounds", TaskPolicy.always(), AfterRestart.FAIL)
                .tool("sampler", TaskPolicy.always(), AfterRestart.FAIL)
                .tool("state_only", TaskPolicy.always(), AfterRestart.FAIL)
                .tool("gate_after_answer", TaskPolicy.always(), AfterRestart.RERUN)
                .tool("gate", TaskPolicy.always(), AfterRestart.FAIL)
                .settings(quick());
    }

    private List<String> asked(String task) {
        return new ArrayList<>(
                awaitStatus(task, "input_required").path("inputRequests").propertyNames());
    }

    private void maybeRestart(boolean restarts) {
        if (restarts) {
            restart();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_question_is_answered_and_the_tool_goes_on_with_its_state(boolean restarts) {
        String task = caller().task("confirm_delete", Map.of("filename", "f"));
        JsonNode waiting = awaitStatus(task, "input_required");
        String key = waiting.path("inputRequests").propertyNames().iterator().next();
        assertThat(waiting.path("inputRequests").path(key).path("method").stringValue())
                .isEqualTo("elicitation/create");
        assertThat(waiting.path("inputRequests")
                        .path(key)
                        .path("params")
                        .path("message")
                        .stringValue())
                .isEqualTo("Delete?");
        assertThat(waiting.has("requestState")).isFalse();
        maybeRestart(restarts);

        assertThat(caller().get(task)).isEqualTo(waiting);
        maybeRestart(restarts);
        JsonNode acknowledged =
                caller().update(task, Map.of(key, answer("yes"))).result();
        assertThat(acknowledged.propertyNames()).containsExactlyInAnyOrder("resultType", "_meta");

        JsonNode done = awaitStatus(task, "completed");
        assertThat(text(done.path("result"))).startsWith("deleted f").contains("yes");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void answers_may_come_one_by_one_and_are_kept(boolean restarts) {
        String task = caller().task("multi_input", Map.of());
        List<String> keys = asked(task);
        assertThat(keys).hasSize(2);
        maybeRestart(restarts);

        caller().update(task, Map.of(keys.get(0), answer("one")));
        JsonNode between = caller().get(task);
        assertThat(between.path("status").stringValue()).isEqualTo("input_required");
        assertThat(between.path("inputRequests").propertyNames()).containsExactly(keys.get(1));
        maybeRestart(restarts);

        assertThat(caller().get(task)).isEqualTo(between);
        caller().update(task, Map.of(keys.get(1), answer("two")));
        JsonNode done = awaitStatus(task, "completed");
        assertThat(text(done.path("result"))).contains("one", "two");
    }

    @Test
    void stale_unknown_and_repeated_keys_are_ignored_and_the_first_answer_counts() {
        String task = caller().task("multi_input", Map.of());
        List<String> keys = asked(task);
        caller().update(task, Map.of("nobody-asked", answer("x"), "first", answer("x")));
        assertThat(caller().get(task).path("inputRequests").propertyNames()).containsExactlyElementsOf(keys);

        String first =
                keys.stream().filter(key -> key.startsWith("first")).findFirst().orElseThrow();
        String second = keys.stream()
                .filter(key -> key.startsWith("second"))
                .findFirst()
                .orElseThrow();
        caller().update(task, Map.of(first, answer("kept")));
        caller().update(task, Map.of(first, answer("late"), second, answer("other")));
        JsonNode done = awaitStatus(task, "completed");
        assertThat(text(done.path("result"))).contains("kept", "other").doesNotContain("late");
        assertThat(caller().update(task, Map.of(second, answer("too late")))
                        .result()
                        .path("resultType")
                        .stringValue())
                .isEqualTo("complete");
        assertThat(caller().get(task)).isEqualTo(done);
    }

    @Test
    void answers_to_a_task_that_asks_nothing_are_acknowledged_and_ignored() {
        String task = caller().task("gate", Map.of("label", "a"));
        caller().update(task, Map.of("a", answer("x")));
        assertThat(caller().status(task)).isEqualTo("working");
        tools.open("a");
        awaitStatus(task, "completed");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void keys_are_never_used_again_in_a_task_whatever_its_tool_calls_them(boolean restarts) {
        String task = caller().task("rounds", Map.of("rounds", 5));
        Set<String> seen = new HashSet<>();
        for (int round = 0; round < 5; round++) {
            String message = "Again " + round + "?";
            until(() -> caller().get(task).path("inputRequests").toString().contains(message));
            List<String> keys = asked(task);
            assertThat(keys).hasSize(1);
            assertThat(seen.add(keys.getFirst())).isTrue();
            seen.forEach(key ->
                    assertThat(caller().update(task, Map.of(key, answer("r")))).isNotNull());
            maybeRestart(restarts && round % 2 == 0 && caller().status(task).equals("input_required"));
        }
        JsonNode done = awaitStatus(task, "completed");
        assertThat(text(done.path("result"))).startsWith("answered 5 times");
        assertThat(tools.counted("rounds")).isEqualTo(6);
    }

    @Test
    void a_tool_that_asks_without_end_fails_its_task() {
        String task = caller().task("rounds", Map.of("rounds", 1000));
        for (int round = 0; round < TaskSettings.MAX_INPUT_ROUNDS; round++) {
            String message = "Again " + round + "?";
            until(() -> caller().get(task).path("inputRequests").toString().contains(message));
            caller().update(task, Map.of(asked(task).getFirst(), answer("r")));
        }
        JsonNode failed = awaitStatus(task, "failed");
        assertThat(failed.path("error").path("message").stringValue()).contains("MAX_INPUT_ROUNDS");
    }

    @Test
    void a_question_that_its_client_cannot_answer_fails_the_task() {
        tools.plain(
                "sampler",
                (ctx, request) -> io.modelcontextprotocol.modern.McpSchema.InputRequiredResult.builder()
                        .elicitUrl("page", "Look", "https://example.com")
                        .build());
        JsonNode failed = awaitStatus(caller().task("sampler", Map.of()), "failed");
        assertThat(failed.path("error").path("message").stringValue()).contains("page", "did not declare");
    }

    @Test
    void a_tool_that_only_wants_to_see_its_state_again_is_called_again() {
        tools.plain(
                "state_only",
                (ctx, request) -> request.requestState() == null
                        ? io.modelcontextprotocol.modern.McpSchema.InputRequiredResult.builder()
                                .requestState("later")
                                .build()
                        : dev.holdfast.mcp.TestTools.text("saw " + request.requestState()));
        JsonNode done = awaitStatus(caller().task("state_only", Map.of()), "completed");
        assertThat(text(done.path("result"))).isEqualTo("saw later");
    }

    @Test
    void a_tool_that_is_run_again_after_a_restart_finds_its_answers() {
        tools.plain("gate_after_answer", (ctx, request) -> {
            if (request.inputResponses() == null) {
                return io.modelcontextprotocol.modern.McpSchema.InputRequiredResult.builder()
                        .elicit(
                                "who",
                                io.modelcontextprotocol.modern.McpSchema.ElicitFormRequest.builder(
                                                "Who?", Map.of("type", "object"))
                                        .build())
                        .requestState("s")
                        .build();
            }
            tools.pass("answered");
            return dev.holdfast.mcp.TestTools.text(request.requestState() + request.inputResponses());
        });
        String task = caller().task("gate_after_answer", Map.of());
        caller().update(task, Map.of(asked(task).getFirst(), answer("me")));
        until(() -> tools.counted("came answered") == 1);
        restart();
        until(() -> tools.counted("came answered") == 2);
        tools.open("answered");
        assertThat(text(awaitStatus(task, "completed").path("result")))
                .startsWith("s{who=")
                .contains("me");
    }

    @Test
    void a_task_that_waits_for_input_can_be_cancelled() {
        String task = caller().task("confirm_delete", Map.of("filename", "f"));
        List<String> keys = asked(task);
        caller().cancel(task);
        assertThat(caller().status(task)).isEqualTo("cancelled");
        caller().update(task, Map.of(keys.getFirst(), answer("yes")));
        assertThat(caller().status(task)).isEqualTo("cancelled");
    }
}
