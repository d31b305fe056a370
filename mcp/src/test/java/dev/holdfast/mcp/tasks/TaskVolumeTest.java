package dev.holdfast.mcp.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.mcp.TestTools;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Very many events: what is kept of them, in memory and in the store, does not grow with them (BOUNDED). */
class TaskVolumeTest extends TaskTest {

    private static final int EVENTS = 5_000;

    @Override
    DurableTasks.Builder rules(DurableTasks.Builder tasks) {
        return tasks.tool("loud", TaskPolicy.always(), AfterRestart.FAIL)
                .settings(quick().withMaxEventBytes(256 << 10));
    }

    private static long used() {
        Runtime runtime = Runtime.getRuntime();
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return runtime.totalMemory() - runtime.freeMemory();
    }

    @Test
    void memory_and_stream_stay_small_while_a_tool_tells_without_end_and_a_reader_follows() {
        String ballast = "z".repeat(2000); // 10 MB in all
        AtomicLong before = new AtomicLong();
        AtomicLong after = new AtomicLong();
        tools.streaming("loud", (ctx, request, notifier) -> {
            for (int i = 1; i <= EVENTS; i++) {
                if (i == EVENTS / 10) {
                    before.set(used());
                }
                notifier.progress(i, null, i + ballast);
            }
            after.set(used());
            tools.pass("told");
            return TestTools.text("done");
        });
        String task = caller().task("loud", Map.of());
        until(() -> tools.counted("came told") == 1);
        assertThat(after.get() - before.get()).isLessThan(5L << 20);

        var status = holdfast().streams().status(TaskLog.streamOf(task)).orElseThrow();
        assertThat(status.tail()).isGreaterThan(EVENTS);
        assertThat(status.tail() - status.firstSeq()).isLessThan(400);

        JsonNode gone =
                caller().ask("tasks/stream", Map.of("taskId", task, "after", 0)).error();
        long earliest = gone.path("data").path("earliestSeq").longValue();
        tools.open("told");
        awaitStatus(task, "completed");
        assertThat(events(task, earliest - 1).stream()
                        .map(event -> event.path("seq").longValue()))
                .containsExactlyElementsOf(
                        LongStream.rangeClosed(earliest, EVENTS + 1).boxed().toList());
    }
}
