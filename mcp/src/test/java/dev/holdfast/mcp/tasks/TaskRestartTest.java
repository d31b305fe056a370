package dev.holdfast.mcp.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.mcp.TestTools;
import io.modelcontextprotocol.modern.McpSchema.ElicitFormRequest;
import io.modelcontextprotocol.modern.McpSchema.InputRequiredResult;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** What a process that ended leaves to the next one. */
class TaskRestartTest extends TaskTest {

    @Override
    DurableTasks.Builder rules(DurableTasks.Builder tasks) {
        return tasks.tool("gate", TaskPolicy.always(), AfterRestart.FAIL)
                .tool("teller", TaskPolicy.always(), AfterRestart.RERUN)
                .tool("broken", TaskPolicy.always(), AfterRestart.FAIL)
                .tool("protocol_error_job", TaskPolicy.always(), AfterRestart.FAIL)
                .settings(quick());
    }

    @Test
    void what_was_done_is_read_as_it_was() {
        String completed = caller().task("broken", Map.of());
        String failed = caller().task("protocol_error_job", Map.of());
        String cancelled = caller().task("gate", Map.of("label", "a"));
        caller().cancel(cancelled);
        JsonNode first = awaitStatus(completed, "completed");
        JsonNode second = awaitStatus(failed, "failed");
        JsonNode third = caller().get(cancelled);

        restart();
        assertThat(caller().get(completed)).isEqualTo(first);
        assertThat(caller().get(failed)).isEqualTo(second);
        assertThat(caller().get(cancelled)).isEqualTo(third);
        assertThat(caller().cancel(completed).result()).isNotNull();
        assertThat(caller().update(completed, Map.of("a", answer("b"))).result())
                .isNotNull();
        assertThat(caller().get(completed)).isEqualTo(first);
    }

    @Test
    void a_tool_that_is_not_to_run_again_fails_with_a_reason_that_programs_compare() {
        String task = caller().task("gate", Map.of("label", "a"));
        until(() -> tools.counted("came a") == 1);
        restart();

        JsonNode failed = caller().get(task);
        assertThat(failed.path("status").stringValue()).isEqualTo("failed");
        assertThat(failed.path("error").path("code").intValue()).isEqualTo(-32603);
        assertThat(failed.path("error").path("data").path("reason").stringValue())
                .isEqualTo("server-restarted");
        assertThat(tools.counted("came a")).isEqualTo(1);
        assertThat(types(events(task, -1))).containsExactly("created", "outcome");
        restart();
        assertThat(caller().get(task)).isEqualTo(failed);
    }

    @Test
    void a_tool_that_may_run_again_does_and_its_events_go_on() {
        String task = caller().task("teller", Map.of("label", "a", "events", 1));
        until(() -> tools.counted("came a") == 1);
        restart();
        until(() -> tools.counted("came a") == 2);
        assertThat(caller().status(task)).isEqualTo("working");
        tools.open("a");

        JsonNode done = awaitStatus(task, "completed");
        assertThat(text(done.path("result"))).isEqualTo("told a");
        assertThat(types(events(task, -1))).containsExactly("created", "progress", "progress", "progress", "outcome");
        assertThat(events(task, -1).stream().map(event -> event.path("seq").longValue()))
                .containsExactly(0L, 1L, 2L, 3L, 4L);
    }

    /** What a tool says of its progress is a part of how its task stands (VISIBLE-IS-DURABLE). */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void what_a_tool_said_last_is_found_by_a_restart_with_the_answers_before_it(boolean asks) {
        AtomicBoolean silent = new AtomicBoolean();
        tools.streaming("teller", (ctx, request, notifier) -> {
            if (asks && request.inputResponses() == null) {
                return InputRequiredResult.builder()
                        .elicit(
                                "q",
                                ElicitFormRequest.builder("Q?", Map.of("type", "object"))
                                        .build())
                        .build();
            }
            if (!silent.get()) {
                notifier.progress(1, 2.0, "step 1");
                notifier.progress(2, 2.0, "step 2");
            }
            tools.pass("a");
            return TestTools.text("answered " + request.inputResponses());
        });
        String task = caller().task("teller", Map.of());
        if (asks) {
            awaitStatus(task, "input_required");
            assertThat(caller().update(task, Map.of("q-1", answer("this"))).result())
                    .isNotNull();
        }
        for (int round = 1; round <= 2; round++) {
            int came = tools.counted("came a");
            silent.set(false);
            restart();
            until(() -> tools.counted("came a") > came);
            JsonNode before = caller().get(task);
            assertThat(before.path("statusMessage").stringValue()).isEqualTo("step 2");
            silent.set(true);
            restart();
            assertThat(caller().get(task)).isEqualTo(before);
        }
        tools.open("a");
        assertThat(text(awaitStatus(task, "completed").path("result"))).contains(asks ? "this" : "answered null");
    }

    @Test
    void a_restart_between_any_two_requests_is_not_noticed_where_the_tool_may_run_again() {
        String task = caller().task("teller", Map.of("label", "a", "events", 2));
        JsonNode first = caller().get(task);
        restart();
        assertThat(caller().get(task).path("createdAt")).isEqualTo(first.path("createdAt"));
        restart();
        restart();
        tools.open("a");
        JsonNode done = awaitStatus(task, "completed");
        restart();
        assertThat(caller().get(task)).isEqualTo(done);
    }

    @Test
    void a_task_of_a_tool_that_has_no_policy_any_more_fails() {
        String task = caller().task("gate", Map.of("label", "a"));
        stop();
        dev.holdfast.Holdfast opened = dev.holdfast.Holdfast.open(folder());
        try (var server = dev.holdfast.mcp.ModernServer.tasks(opened, tools, tasks -> tasks)) {
            JsonNode found = new dev.holdfast.mcp.ModernCaller(server.uri()).get(task);
            assertThat(found.path("error").path("data").path("reason").stringValue())
                    .isEqualTo("server-restarted");
        }
    }

    @Test
    void what_ends_while_the_process_ends_is_not_taken_for_an_outcome_of_the_tool() {
        String task = caller().task("teller", Map.of("label", "a", "events", 0));
        until(() -> tools.counted("came a") == 1);
        stop();
        until(() -> tools.counted("interrupted a") == 1);
        tools.open("a");
        JsonNode done = awaitStatus(task, "completed");
        assertThat(text(done.path("result"))).isEqualTo("told a");
    }
}
