package dev.holdfast.mcp.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.access.Action;
import dev.holdfast.error.HoldfastException.NotAuthorized;
import dev.holdfast.mcp.ModernCaller;
import dev.holdfast.mcp.ModernServer;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A task is its principal's, and for everyone else it is not there. */
class TaskOwnersTest extends TaskTest {

    private final AtomicBoolean revoked = new AtomicBoolean();

    @Override
    DurableTasks.Builder rules(DurableTasks.Builder tasks) {
        return tasks.tool("gate", TaskPolicy.always(), AfterRestart.FAIL)
                .tool("broken", TaskPolicy.always(), AfterRestart.FAIL)
                .tool("confirm_delete", TaskPolicy.always(), AfterRestart.FAIL)
                .tool("whoami", TaskPolicy.always(), AfterRestart.RERUN)
                .authorizer((principal, action, resource) -> {
                    if (revoked.get() && action == Action.READ) {
                        throw new NotAuthorized("not any more");
                    }
                })
                .settings(quick().withMaxUnfinished(100, 2));
    }

    @Override
    ModernServer start(Holdfast opened) {
        return ModernServer.keyed(opened, tools, this::rules);
    }

    @Override
    ModernCaller caller() {
        return super.caller().key(ModernServer.KEYS.get(0));
    }

    private ModernCaller other() {
        return super.caller().key(ModernServer.KEYS.get(1));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void another_principal_is_told_the_same_as_of_a_task_that_never_was(boolean finished) {
        String task = caller().task(finished ? "broken" : "gate", Map.of("label", "a"));
        awaitStatus(task, finished ? "completed" : "working");
        for (String method : Set.of("tasks/get", "tasks/update", "tasks/cancel", "tasks/stream")) {
            Map<String, Object> of = Map.of("taskId", task, "inputResponses", Map.of());
            Map<String, Object> none = Map.of("taskId", "B".repeat(27), "inputResponses", Map.of());
            assertThat(other().ask(method, of).code()).as(method).isEqualTo(-32602);
            assertThat(other().ask(method, of).error())
                    .isEqualTo(other().ask(method, none).error());
        }
        assertThat(caller().status(task)).isEqualTo(finished ? "completed" : "working");
        tools.open("a");
    }

    @Test
    void another_principal_hears_of_no_change() {
        String task = caller().task("gate", Map.of("label", "a"));
        try (ModernCaller.Stream stream = other().open(
                        "subscriptions/listen", Map.of("notifications", Map.of("taskIds", java.util.List.of(task))))) {
            var agreed = stream.next();
            assertThat(agreed).isNotNull();
            assertThat(agreed.path("params").path("notifications").has("taskIds"))
                    .isFalse();
        }
        tools.open("a");
    }

    @Test
    void each_request_is_authorized_anew() {
        String task = caller().task("broken", Map.of());
        awaitStatus(task, "completed");
        revoked.set(true);
        assertThat(caller().ask("tasks/get", Map.of("taskId", task)).code()).isEqualTo(-32602);
        revoked.set(false);
        assertThat(caller().status(task)).isEqualTo("completed");
    }

    @Test
    void one_principals_tasks_leave_room_for_anothers() {
        caller().task("gate", Map.of("label", "a"));
        caller().task("gate", Map.of("label", "a"));
        assertThat(caller().tool("gate", Map.of("label", "a"))
                        .error()
                        .path("data")
                        .path("limit")
                        .stringValue())
                .isEqualTo("maxUnfinishedPerPrincipal");
        String task = other().task("gate", Map.of("label", "a"));
        tools.open("a");
        until(() -> other().status(task).equals("completed"));
    }

    @Test
    void an_owner_is_the_same_after_a_restart_and_its_tool_knows_it() {
        tools.plain("whoami", (ctx, request) -> {
            tools.pass("asked");
            return dev.holdfast.mcp.TestTools.text(dev.holdfast.mcp.McpPrincipal.of(ctx.transportContext())
                    .orElseThrow()
                    .name());
        });
        String task = caller().task("whoami", Map.of());
        until(() -> tools.counted("came asked") == 1);
        restart();
        until(() -> tools.counted("came asked") == 2);
        tools.open("asked");
        assertThat(text(awaitStatus(task, "completed").path("result"))).isEqualTo("key-1");
        assertThat(other().ask("tasks/get", Map.of("taskId", task)).code()).isEqualTo(-32602);
    }
}
