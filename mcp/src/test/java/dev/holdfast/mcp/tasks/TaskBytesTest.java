package dev.holdfast.mcp.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.mcp.ModernCaller;
import dev.holdfast.mcp.ModernCaller.Answer;
import dev.holdfast.mcp.ModernServer;
import io.modelcontextprotocol.modern.McpSchema.ElicitFormRequest;
import io.modelcontextprotocol.modern.McpSchema.InputRequiredResult;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What unfinished tasks may hold in memory (BOUNDED). */
class TaskBytesTest extends TaskTest {

    private static final Map<String, Object> LARGE = Map.of("label", "a", "padding", "x".repeat(10_000));

    @Override
    DurableTasks.Builder rules(DurableTasks.Builder tasks) {
        return tasks.tool("gate", TaskPolicy.always(), AfterRestart.RERUN)
                .tool("multi_input", TaskPolicy.always(), AfterRestart.RERUN)
                .tool("curious", TaskPolicy.always(), AfterRestart.RERUN)
                .settings(quick().withMaxUnfinishedBytes(35_000, 25_000));
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

    private static void assertRefused(JsonNode error, String reason, String limit) {
        assertThat(error.path("data").path("reason").stringValue()).isEqualTo(reason);
        assertThat(error.path("data").path("limit").stringValue()).isEqualTo(limit);
        assertThat(error.path("message").stringValue()).contains(limit);
    }

    private static void assertRefused(Answer answer, String limit) {
        assertRefused(answer.error(), "too_many_task_bytes", limit);
    }

    @Test
    void calls_are_refused_that_hold_too_much_together_and_for_one_caller() {
        String first = caller().task("gate", LARGE);
        String second = caller().task("gate", LARGE);
        assertRefused(caller().tool("gate", LARGE), "maxUnfinishedBytesPerPrincipal");
        assertThat(caller().tool("gate", Map.of("label", "a")).result()).isNotNull();
        assertThat(other().task("gate", LARGE)).hasSize(27);
        assertRefused(other().tool("gate", LARGE), "maxUnfinishedBytes");

        restart();
        assertRefused(caller().tool("gate", LARGE), "maxUnfinishedBytes");
        tools.open("a");
        awaitStatus(first, "completed");
        awaitStatus(second, "completed");
        until(() -> caller().tool("gate", LARGE).response().has("result"));
    }

    private String asked(String task, String key) {
        for (String name : caller().get(task).path("inputRequests").propertyNames()) {
            if (name.startsWith(key)) {
                return name;
            }
        }
        throw new AssertionError("Not asked: " + key);
    }

    @Test
    void answers_are_refused_that_do_not_fit_and_can_be_given_in_another_way() {
        String task = caller().task("multi_input", Map.of());
        awaitStatus(task, "input_required");
        JsonNode before = caller().get(task);
        String first = asked(task, "first");
        assertRefused(
                caller().update(task, Map.of(first, answer("x".repeat(30_000)))).error(),
                "too_large",
                "maxUnfinishedBytesPerPrincipal");
        assertRefused(
                caller().update(task, Map.of(first, answer("x".repeat(24_800)))), "maxUnfinishedBytesPerPrincipal");
        assertThat(caller().get(task)).isEqualTo(before);

        caller().update(task, Map.of(first, answer("x".repeat(20_000)))).result();
        assertRefused(caller().tool("gate", LARGE), "maxUnfinishedBytesPerPrincipal");
        restart();
        assertRefused(caller().tool("gate", LARGE), "maxUnfinishedBytesPerPrincipal");
        caller().update(task, Map.of(asked(task, "second"), answer("y"))).result();
        awaitStatus(task, "completed");
        until(() -> caller().tool("gate", LARGE).response().has("result"));
    }

    @Test
    void a_task_whose_questions_do_not_fit_fails_and_holds_nothing_more() {
        tools.plain(
                "curious",
                (ctx, request) -> InputRequiredResult.builder()
                        .elicit(
                                "q",
                                ElicitFormRequest.builder("x".repeat(30_000), Map.of("type", "object"))
                                        .build())
                        .build());
        String task = caller().task("curious", Map.of());
        assertRefused(awaitStatus(task, "failed").path("error"), "too_large", "maxUnfinishedBytesPerPrincipal");
        assertThat(caller().task("gate", LARGE)).hasSize(27);
        assertThat(caller().task("gate", LARGE)).hasSize(27);
    }
}
