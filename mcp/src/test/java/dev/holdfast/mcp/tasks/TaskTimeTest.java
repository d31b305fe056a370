package dev.holdfast.mcp.tasks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.stream.StreamListing;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** How long a task can be read. */
class TaskTimeTest extends TaskTest {

    private @Nullable Duration life = Duration.ofMillis(300);

    @Override
    DurableTasks.Builder rules(DurableTasks.Builder tasks) {
        return tasks.tool("gate", TaskPolicy.always(), AfterRestart.RERUN)
                .tool("broken", TaskPolicy.always(), AfterRestart.FAIL)
                .tool("confirm_delete", TaskPolicy.always(), AfterRestart.FAIL)
                .settings(quick().withTimeToLive(life).withMaxUnfinished(1, 1));
    }

    private boolean isUnknown(String task) {
        for (String method : Set.of("tasks/get", "tasks/stream", "tasks/cancel")) {
            var answer = caller().ask(method, Map.of("taskId", task)).response();
            if (answer.path("error").path("code").asInt(0) != -32602) {
                return false;
            }
        }
        return true;
    }

    @Test
    void a_task_that_is_done_is_unknown_once_its_time_is_over() {
        String task = caller().task("broken", Map.of());
        until(() -> isUnknown(task));
        until(() -> holdfast().streams().list(StreamListing.all()).isEmpty());
    }

    @Test
    void a_tool_that_still_runs_then_is_interrupted_and_its_place_is_free() {
        String task = caller().task("gate", Map.of("label", "a"));
        until(() -> tools.counted("interrupted a") == 1);
        assertThat(isUnknown(task)).isTrue();
        until(() -> caller().tool("broken", Map.of()).response().has("result"));
    }

    @Test
    void a_task_that_waits_for_input_gives_its_place_back_then() {
        String task = caller().task("confirm_delete", Map.of("filename", "f"));
        until(() -> isUnknown(task));
        until(() -> caller().tool("broken", Map.of()).response().has("result"));
    }

    @Test
    void a_restart_does_not_lengthen_a_life() {
        String task = caller().task("gate", Map.of("label", "a"));
        until(() -> tools.counted("came a") == 1);
        restart();
        until(() -> isUnknown(task));
        until(() -> tools.counted("interrupted a") == tools.counted("came a"));
    }

    @Test
    void without_a_time_to_live_the_wire_says_null() {
        life = null;
        var handle = caller().tool("broken", Map.of()).result();
        assertThat(handle.has("ttlMs")).isTrue();
        assertThat(handle.path("ttlMs").isNull()).isTrue();
        String task = handle.path("taskId").stringValue();
        var done = awaitStatus(task, "completed");
        assertThat(done.path("ttlMs").isNull()).isTrue();
        restart();
        assertThat(caller().get(task)).isEqualTo(done);
    }

    @Test
    void settings_out_of_bounds_are_refused() {
        TaskSettings settings = TaskSettings.defaults();
        assertThatThrownBy(() -> settings.withTimeToLive(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> settings.withPollInterval(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> settings.withMaxUnfinished(0, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> settings.withMaxUnfinished(1, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> settings.withMaxUnfinishedBytes(0, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> settings.withMaxUnfinishedBytes(1, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> settings.withMaxEventBytes(0)).isInstanceOf(IllegalArgumentException.class);
    }
}
