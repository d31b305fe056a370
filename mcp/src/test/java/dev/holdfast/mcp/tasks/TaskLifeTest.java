package dev.holdfast.mcp.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.mcp.ModernCaller;
import dev.holdfast.mcp.ModernCaller.Answer;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What becomes of one task, and each of its errors. */
class TaskLifeTest extends TaskTest {

    private static final String UNKNOWN = "A".repeat(27);

    @Override
    DurableTasks.Builder rules(DurableTasks.Builder tasks) {
        return tasks.tool("gate", TaskPolicy.always(), AfterRestart.FAIL)
                .tool("broken", TaskPolicy.always(), AfterRestart.FAIL)
                .tool("protocol_error_job", TaskPolicy.always(), AfterRestart.FAIL)
                .tool("throwing", TaskPolicy.always(), AfterRestart.FAIL)
                .tool("missing", TaskPolicy.always(), AfterRestart.FAIL)
                .tool("large", TaskPolicy.always(), AfterRestart.FAIL)
                .tool("teller", TaskPolicy.always(), AfterRestart.FAIL)
                .settings(quick().withMaxUnfinished(3, 3));
    }

    @Test
    void a_handle_has_the_members_of_the_specification_and_nothing_else() {
        JsonNode handle = caller().tool("gate", Map.of("label", "a")).result();
        tools.open("a");

        assertThat(handle.propertyNames())
                .containsExactlyInAnyOrder(
                        "resultType",
                        "taskId",
                        "status",
                        "createdAt",
                        "lastUpdatedAt",
                        "ttlMs",
                        "pollIntervalMs",
                        "_meta");
        assertThat(handle.path("resultType").stringValue()).isEqualTo("task");
        assertThat(handle.path("status").stringValue()).isEqualTo("working");
        assertThat(handle.path("taskId").stringValue()).hasSize(27);
        assertThat(handle.path("ttlMs").longValue()).isEqualTo(86_400_000);
        assertThat(handle.path("pollIntervalMs").longValue()).isEqualTo(20);
        assertThat(Instant.parse(handle.path("createdAt").stringValue()))
                .isBefore(Instant.now().plusSeconds(1));
    }

    @Test
    void a_task_works_until_its_tool_is_done_and_then_has_its_result() {
        String task = caller().task("gate", Map.of("label", "a"));
        JsonNode working = caller().get(task);
        assertThat(working.path("status").stringValue()).isEqualTo("working");
        assertThat(working.path("resultType").stringValue()).isEqualTo("complete");
        assertThat(working.has("result")).isFalse();

        tools.open("a");
        JsonNode done = awaitStatus(task, "completed");
        assertThat(text(done.path("result"))).isEqualTo("through a");
        assertThat(done.path("result").path("resultType").stringValue()).isEqualTo("complete");
        assertThat(done.has("error")).isFalse();
        assertThat(done.has("inputRequests")).isFalse();
    }

    @Test
    void ids_of_tasks_are_never_the_same() {
        String first = caller().task("gate", Map.of("label", "a"));
        String second = caller().task("gate", Map.of("label", "a"));
        tools.open("a");
        assertThat(first).isNotEqualTo(second);
    }

    @Test
    void an_error_that_a_tool_reports_completes_its_task() {
        JsonNode done = awaitStatus(caller().task("broken", Map.of()), "completed");
        assertThat(done.path("result").path("isError").booleanValue()).isTrue();
        assertThat(text(done.path("result"))).isEqualTo("it is broken");
    }

    @Test
    void a_json_rpc_error_fails_the_task_and_is_kept_with_its_data() {
        JsonNode failed = awaitStatus(caller().task("protocol_error_job", Map.of()), "failed");
        assertThat(failed.path("error").path("code").intValue()).isEqualTo(-32603);
        assertThat(failed.path("error").path("message").stringValue()).isEqualTo("the job panicked");
        assertThat(failed.path("error").path("data").path("why").stringValue()).isEqualTo("test");
        assertThat(failed.path("statusMessage").stringValue()).isEqualTo("the job panicked");
        assertThat(failed.has("result")).isFalse();
    }

    @Test
    void a_defect_of_a_tool_fails_the_task_and_tells_nothing_of_it() {
        JsonNode failed = awaitStatus(caller().task("throwing", Map.of()), "failed");
        assertThat(failed.path("error").path("code").intValue()).isEqualTo(-32603);
        assertThat(failed.toString()).doesNotContain("defect");
    }

    @Test
    void a_tool_that_is_not_there_fails_its_task_with_the_error_of_the_call() {
        JsonNode failed = awaitStatus(caller().task("missing", Map.of()), "failed");
        assertThat(failed.path("error").path("code").intValue()).isEqualTo(-32602);
    }

    @Test
    void cancelling_is_acknowledged_ends_the_task_and_interrupts_its_tool() {
        String task = caller().task("gate", Map.of("label", "a"));
        until(() -> tools.counted("came a") == 1);

        Answer acknowledged = caller().cancel(task);
        assertThat(acknowledged.result().propertyNames()).containsExactlyInAnyOrder("resultType", "_meta");
        assertThat(acknowledged.result().path("resultType").stringValue()).isEqualTo("complete");

        assertThat(caller().status(task)).isEqualTo("cancelled");
        until(() -> tools.counted("interrupted a") == 1);
        assertThat(caller().status(task)).isEqualTo("cancelled");
    }

    @Test
    void cancelling_a_task_that_is_done_is_acknowledged_again_and_changes_nothing() {
        String task = caller().task("broken", Map.of());
        JsonNode done = awaitStatus(task, "completed");
        assertThat(caller().cancel(task).result().path("resultType").stringValue())
                .isEqualTo("complete");
        assertThat(caller().cancel(task).result().path("resultType").stringValue())
                .isEqualTo("complete");
        assertThat(caller().get(task)).isEqualTo(done);
    }

    @Test
    void a_task_that_was_cancelled_twice_is_cancelled_once() {
        String task = caller().task("gate", Map.of("label", "a"));
        JsonNode first = caller().cancel(task).result();
        assertThat(caller().cancel(task).result()).isEqualTo(first);
        assertThat(types(events(task, -1))).containsExactly("created", "outcome");
    }

    @Test
    void what_a_tool_tells_while_it_works_shows_in_its_status_message() {
        String task = caller().task("teller", Map.of("label", "a", "events", 3));
        until(() -> caller().get(task).path("statusMessage").asString("").equals("step 3"));
        tools.open("a");
        awaitStatus(task, "completed");
    }

    @Test
    void every_method_refuses_a_task_that_is_not_there_with_invalid_params_and_400() {
        for (String method : Set.of("tasks/get", "tasks/cancel", "tasks/stream")) {
            for (String id : Set.of(UNKNOWN, "x", "../etc", "A".repeat(5000), "ä".repeat(27))) {
                Answer answer = caller().header("Mcp-Name", encoded(id)).ask(method, Map.of("taskId", id));
                assertThat(answer.code()).as(method + " " + id).isEqualTo(-32602);
                assertThat(answer.status()).isEqualTo(400);
            }
        }
        assertThat(caller().update(UNKNOWN, Map.of()).code()).isEqualTo(-32602);
    }

    private static String encoded(String id) {
        return "=?base64?"
                + java.util.Base64.getEncoder().encodeToString(id.getBytes(java.nio.charset.StandardCharsets.UTF_8))
                + "?=";
    }

    @Test
    void a_request_without_an_id_or_with_one_of_another_kind_is_invalid() {
        assertThat(caller().ask("tasks/get", Map.of()).code()).isEqualTo(-32602);
        assertThat(caller().ask("tasks/get", Map.of("taskId", 7)).code()).isEqualTo(-32602);
    }

    @Test
    void answers_that_are_no_objects_are_invalid() {
        String task = caller().task("gate", Map.of("label", "a"));
        assertThat(caller().ask("tasks/update", Map.of("taskId", task)).code()).isEqualTo(-32602);
        assertThat(caller().ask("tasks/update", Map.of("taskId", task, "inputResponses", 3))
                        .code())
                .isEqualTo(-32602);
        assertThat(caller().update(task, Map.of("a", 3)).code()).isEqualTo(-32602);
        tools.open("a");
    }

    @Test
    void methods_of_the_revision_before_are_not_there() {
        for (String method : Set.of("tasks/list", "tasks/result")) {
            Answer answer = caller().ask(method, Map.of("taskId", UNKNOWN));
            assertThat(answer.code()).isEqualTo(-32601);
            assertThat(answer.status()).isEqualTo(404);
        }
    }

    @Test
    void whoever_does_not_declare_the_extension_is_told_so_by_every_method() {
        String task = caller().task("gate", Map.of("label", "a"));
        for (String method : Set.of("tasks/get", "tasks/update", "tasks/cancel", "tasks/stream")) {
            Answer answer = caller().undeclared().ask(method, Map.of("taskId", task, "inputResponses", Map.of()));
            assertThat(answer.code()).as(method).isEqualTo(-32021);
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.error()
                            .path("data")
                            .path("requiredCapabilities")
                            .path("extensions")
                            .has(ModernCaller.TASKS))
                    .isTrue();
        }
        assertThat(caller().status(task)).isEqualTo("working");
        tools.open("a");
    }

    @Test
    void a_name_in_the_header_that_is_not_the_tasks_id_is_a_mismatch() {
        String task = caller().task("gate", Map.of("label", "a"));
        for (String method : Set.of("tasks/get", "tasks/update", "tasks/cancel", "tasks/stream")) {
            Map<String, Object> params = Map.of("taskId", task, "inputResponses", Map.of());
            assertThat(caller().header("Mcp-Name", UNKNOWN).ask(method, params).code())
                    .isEqualTo(-32020);
            Answer missing = caller().header("Mcp-Name", null).ask(method, params);
            assertThat(missing.code()).isEqualTo(-32020);
            assertThat(missing.status()).isEqualTo(400);
        }
        tools.open("a");
    }

    @Test
    void a_result_of_several_megabytes_is_kept_whole() {
        String task = caller().task("large", Map.of("bytes", 5_000_000));
        JsonNode done = awaitStatus(task, "completed");
        assertThat(text(done.path("result"))).hasSize(5_000_000).matches("x+");
        restart();
        assertThat(text(caller().get(task).path("result"))).hasSize(5_000_000).matches("x+");
    }

    @Test
    void a_result_that_is_too_large_fails_the_task_and_names_the_limit() {
        JsonNode failed = awaitStatus(caller().task("large", Map.of("bytes", 9_000_000)), "failed");
        assertThat(failed.path("error").path("code").intValue()).isEqualTo(-32603);
        assertThat(failed.path("error").path("message").stringValue()).contains("MAX_EVENT_BYTES", "9000");
        assertThat(failed.path("error").path("data").path("limit").stringValue())
                .isEqualTo("MAX_EVENT_BYTES");
    }

    @Test
    void arguments_of_several_megabytes_reach_the_tool_again_after_a_restart() {
        String task = caller().task("gate", Map.of("label", "a", "ballast", "y".repeat(3_000_000)));
        assertThat(caller().status(task)).isEqualTo("working");
        tools.open("a");
        awaitStatus(task, "completed");
        assertThat(types(events(task, -1))).containsExactly("created", "outcome");
    }

    @Test
    void one_task_too_many_is_refused_with_the_limits_name_until_another_one_is_done() {
        String first = caller().task("gate", Map.of("label", "a"));
        caller().task("gate", Map.of("label", "b"));
        caller().task("gate", Map.of("label", "b"));

        Answer refused = caller().tool("gate", Map.of("label", "b"));
        assertThat(refused.code()).isEqualTo(-32603);
        assertThat(refused.error().path("data").path("limit").stringValue()).isEqualTo("maxUnfinished");
        assertThat(refused.error().path("data").path("allowed").intValue()).isEqualTo(3);

        tools.open("a");
        awaitStatus(first, "completed");
        until(() -> caller().tool("gate", Map.of("label", "b")).response().has("result"));
        tools.open("b");
    }
}
