package dev.holdfast.mcp.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.mcp.ModernCaller;
import io.modelcontextprotocol.modern.server.feature.ServerChange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** {@code notifications/tasks} on subscriptions, which the published suite does not look at. */
class TaskChangesTest extends TaskTest {

    @Override
    DurableTasks.Builder rules(DurableTasks.Builder tasks) {
        return tasks.tool("gate", TaskPolicy.always(), AfterRestart.FAIL)
                .tool("teller", TaskPolicy.always(), AfterRestart.FAIL)
                .tool("multi_input", TaskPolicy.always(), AfterRestart.FAIL)
                .tool("protocol_error_job", TaskPolicy.always(), AfterRestart.FAIL)
                .tool("broken", TaskPolicy.always(), AfterRestart.FAIL)
                .settings(quick());
    }

    private ModernCaller.Stream listen(Object taskIds) {
        return caller().open(
                        "subscriptions/listen",
                        Map.of("notifications", Map.of("taskIds", taskIds, "toolsListChanged", true)));
    }

    private static JsonNode next(ModernCaller.Stream stream) {
        return Objects.requireNonNull(stream.next());
    }

    /** The next notification of a task, checked to be one of this subscription. */
    private static JsonNode change(ModernCaller.Stream stream, JsonNode acknowledged) {
        JsonNode message = next(stream);
        assertThat(message.path("method").stringValue()).isEqualTo("notifications/tasks");
        assertThat(message.path("params").path("_meta"))
                .isEqualTo(acknowledged.path("params").path("_meta"));
        return message.path("params");
    }

    private static JsonNode acknowledged(ModernCaller.Stream stream) {
        JsonNode first = next(stream);
        assertThat(first.path("method").stringValue()).isEqualTo("notifications/subscriptions/acknowledged");
        return first;
    }

    @Test
    void a_subscription_begins_with_what_was_agreed_on_and_how_each_task_stands() {
        String working = caller().task("gate", Map.of("label", "a"));
        String done = caller().task("broken", Map.of());
        awaitStatus(done, "completed");
        try (ModernCaller.Stream stream = listen(List.of(working, "C".repeat(27), done, "x", done))) {
            JsonNode first = acknowledged(stream);
            assertThat(first.path("params").path("notifications").path("taskIds").values().stream()
                            .map(JsonNode::stringValue))
                    .containsExactly(working, done);
            assertThat(first.path("params")
                            .path("notifications")
                            .path("toolsListChanged")
                            .booleanValue())
                    .isTrue();
            assertThat(change(stream, first).path("taskId").stringValue()).isEqualTo(working);
            JsonNode second = change(stream, first);
            assertThat(second.path("taskId").stringValue()).isEqualTo(done);
            assertThat(text(second.path("result"))).isEqualTo("it is broken");
        }
        tools.open("a");
    }

    @Test
    void a_notification_shows_what_a_look_would_have_shown() {
        String task = caller().task("gate", Map.of("label", "a"));
        try (ModernCaller.Stream stream = listen(List.of(task))) {
            JsonNode first = acknowledged(stream);
            assertThat(change(stream, first).path("status").stringValue()).isEqualTo("working");
            tools.open("a");
            JsonNode told = change(stream, first);
            JsonNode looked = caller().get(task);
            assertThat(told.propertyNames()).doesNotContain("resultType");
            for (String member :
                    List.of("taskId", "status", "createdAt", "lastUpdatedAt", "ttlMs", "pollIntervalMs", "result")) {
                assertThat(told.has(member)).as(member).isTrue();
                assertThat(told.path(member)).as(member).isEqualTo(looked.path(member));
            }
        }
    }

    @Test
    void every_change_of_status_is_told_in_order() {
        String task = caller().task("multi_input", Map.of());
        List<String> keys = new ArrayList<>(
                awaitStatus(task, "input_required").path("inputRequests").propertyNames());
        try (ModernCaller.Stream stream = listen(List.of(task))) {
            JsonNode first = acknowledged(stream);
            assertThat(change(stream, first).path("inputRequests").propertyNames())
                    .hasSize(2);
            caller().update(task, Map.of(keys.get(0), answer("1")));
            assertThat(change(stream, first).path("inputRequests").propertyNames())
                    .containsExactly(keys.get(1));
            caller().update(task, Map.of(keys.get(1), answer("2")));
            List<String> statuses = new ArrayList<>();
            do {
                statuses.add(change(stream, first).path("status").stringValue());
            } while (!statuses.getLast().equals("completed"));
            // the status is the one at the moment of sending, so a quick tool's working may not be seen
            assertThat(statuses).isSubsetOf("working", "completed").doesNotHaveDuplicates();
        }
    }

    @Test
    void a_failure_and_a_cancellation_are_told() {
        String cancelled = caller().task("gate", Map.of("label", "a"));
        try (ModernCaller.Stream stream = listen(List.of(cancelled))) {
            JsonNode first = acknowledged(stream);
            change(stream, first);
            caller().cancel(cancelled);
            assertThat(change(stream, first).path("status").stringValue()).isEqualTo("cancelled");
        }
        String failed = caller().task("protocol_error_job", Map.of());
        try (ModernCaller.Stream stream = listen(List.of(failed))) {
            JsonNode first = acknowledged(stream);
            JsonNode told = change(stream, first);
            while (!told.path("status").stringValue().equals("failed")) {
                told = change(stream, first);
            }
            assertThat(told.path("error").path("message").stringValue()).isEqualTo("the job panicked");
        }
    }

    @Test
    void progress_and_log_messages_of_a_task_are_no_part_of_a_subscription() {
        String task = caller().task("teller", Map.of("label", "a", "events", 4));
        try (ModernCaller.Stream stream = listen(List.of(task))) {
            JsonNode first = acknowledged(stream);
            JsonNode told = change(stream, first);
            until(() -> tools.counted("came a") == 1);
            tools.open("a");
            while (!told.path("status").stringValue().equals("completed")) {
                told = change(stream, first);
            }
        }
    }

    @Test
    void only_tasks_that_were_named_are_told_of_and_the_applications_changes_go_on() {
        String named = caller().task("gate", Map.of("label", "a"));
        String other = caller().task("gate", Map.of("label", "b"));
        try (ModernCaller.Stream stream = listen(List.of(named))) {
            JsonNode first = acknowledged(stream);
            change(stream, first);
            tools.open("b");
            awaitStatus(other, "completed");
            server().feed.broadcast(new ServerChange.ToolsListChanged());
            assertThat(next(stream).path("method").stringValue()).isEqualTo("notifications/tools/list_changed");
            tools.open("a");
            assertThat(change(stream, first).path("taskId").stringValue()).isEqualTo(named);
        }
    }

    @Test
    void a_subscription_to_tasks_needs_the_extension() {
        var answer = caller().undeclared()
                .ask("subscriptions/listen", Map.of("notifications", Map.of("taskIds", List.of("A".repeat(27)))));
        assertThat(answer.code()).isEqualTo(-32021);
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.error()
                        .path("data")
                        .path("requiredCapabilities")
                        .path("extensions")
                        .has(ModernCaller.TASKS))
                .isTrue();
    }

    @Test
    void what_is_no_list_of_ids_or_too_long_a_one_is_invalid() {
        for (Object ids : List.of("x", 3, List.of(1), java.util.Collections.nCopies(1001, "A".repeat(27)))) {
            assertThat(caller().ask("subscriptions/listen", Map.of("notifications", Map.of("taskIds", ids)))
                            .code())
                    .isEqualTo(-32602);
        }
    }

    @Test
    void a_subscription_after_a_restart_tells_how_the_task_ended() {
        String task = caller().task("gate", Map.of("label", "a"));
        restart();
        try (ModernCaller.Stream stream = listen(List.of(task))) {
            JsonNode first = acknowledged(stream);
            assertThat(change(stream, first)
                            .path("error")
                            .path("data")
                            .path("reason")
                            .stringValue())
                    .isEqualTo("server-restarted");
        }
    }
}
