package dev.holdfast.mcp.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.access.Principal;
import dev.holdfast.error.HoldfastException;
import io.modelcontextprotocol.modern.McpException;
import io.modelcontextprotocol.modern.McpSchema.CallToolResult;
import io.modelcontextprotocol.modern.McpSchema.ElicitFormRequest;
import io.modelcontextprotocol.modern.McpSchema.InputRequiredResult;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Tools whose answers cannot be handled: their tasks end all the same, and give their place back. */
class TaskDefectTest extends TaskTest {

    @Override
    DurableTasks.Builder rules(DurableTasks.Builder tasks) {
        return tasks.tool("odd", TaskPolicy.always(), AfterRestart.FAIL)
                .tool("broken", TaskPolicy.always(), AfterRestart.FAIL)
                .settings(quick().withMaxUnfinished(1, 1));
    }

    /** A map that holds itself. */
    private static Map<String, Object> endless() {
        Map<String, Object> map = new HashMap<>();
        map.put("type", "object");
        map.put("again", map);
        return map;
    }

    /** What nobody can write as JSON. */
    public static final class Unreadable {
        private final Map<String, String> texts = Map.of();

        public String getText() {
            return Optional.ofNullable(texts.get("none")).orElseThrow();
        }
    }

    private void endsByItself() {
        String task = caller().task("odd", Map.of());
        JsonNode failed = awaitStatus(task, "failed");
        assertThat(failed.path("error").path("code").intValue()).isEqualTo(-32603);
        assertThat(failed.path("error").path("message").stringValue()).isEqualTo("Internal error");
        String next = caller().task("broken", Map.of());
        awaitStatus(next, "completed");
        restart();
        assertThat(caller().get(task)).isEqualTo(failed);
    }

    @Test
    void an_error_whose_data_cannot_be_written_fails_the_task() {
        tools.plain("odd", (ctx, request) -> {
            throw new McpException(-32000, "no", Map.of("value", new Unreadable()));
        });
        endsByItself();
    }

    @Test
    void an_error_whose_data_holds_itself_fails_the_task() {
        tools.plain("odd", (ctx, request) -> {
            throw new McpException(-32000, "no", endless());
        });
        endsByItself();
    }

    @Test
    void a_question_that_cannot_be_written_fails_the_task() {
        tools.plain(
                "odd",
                (ctx, request) -> InputRequiredResult.builder()
                        .elicit("q", ElicitFormRequest.builder("Q?", endless()).build())
                        .build());
        endsByItself();
    }

    @Test
    void a_result_that_cannot_be_written_fails_the_task() {
        tools.plain(
                "odd",
                (ctx, request) -> CallToolResult.builder()
                        .structuredContent(Map.of("value", new Unreadable()))
                        .build());
        endsByItself();
    }

    @Test
    void a_tool_that_tells_fails_its_task_in_the_same_way() {
        tools.streaming("odd", (ctx, request, notifier) -> {
            throw new McpException(-32000, "no", endless());
        });
        endsByItself();
    }

    @Test
    void logs_name_a_task_by_what_nobody_can_ask_for() {
        String id = "AbC-_0123456789012345678901";
        TaskSpec spec = new TaskSpec(id, "odd", 1, Map.of(), Principal.anonymous("default"), 0, null);
        String sentence = TaskSpec.withoutIds(new HoldfastException.StreamNotFound(TaskLog.streamOf(id)));
        assertThat(spec.label()).contains("odd").doesNotContain(id);
        assertThat(sentence).doesNotContain(id).contains("#" + TaskSpec.digest(id));
    }
}
