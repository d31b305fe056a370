package dev.holdfast.mcp.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.mcp.ModernCaller;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Whatever races to end a task, it ends once (ONE-OUTCOME). Rounds are seeded; the order of the threads is the machine's. */
class TaskRacesTest extends TaskTest {

    private static final int ROUNDS = 300;

    @Override
    DurableTasks.Builder rules(DurableTasks.Builder tasks) {
        return tasks.tool("gate", TaskPolicy.always(), AfterRestart.FAIL)
                .tool("multi_input", TaskPolicy.always(), AfterRestart.FAIL)
                .settings(quick());
    }

    private static void together(List<Runnable> actions) {
        CyclicBarrier barrier = new CyclicBarrier(actions.size());
        List<CompletableFuture<Void>> running = new ArrayList<>();
        for (Runnable action : actions) {
            running.add(CompletableFuture.runAsync(
                    () -> {
                        try {
                            barrier.await();
                        } catch (Exception e) {
                            throw new IllegalStateException(e);
                        }
                        action.run();
                    },
                    task -> Thread.ofVirtual().start(task)));
        }
        running.forEach(CompletableFuture::join);
    }

    private void check(String task) {
        until(() -> !List.of("working", "input_required").contains(caller().status(task)));
        JsonNode end = caller().get(task);
        List<JsonNode> events = events(task, -1);
        assertThat(types(events).stream().filter("outcome"::equals)).hasSize(1);
        assertThat(types(events)).endsWith("outcome");
        assertThat(events.getLast().path("data").path("status")).isEqualTo(end.path("status"));
        for (int i = 0; i < events.size(); i++) {
            assertThat(events.get(i).path("seq").longValue()).isEqualTo(i);
        }
        assertThat(caller().get(task)).isEqualTo(end);
    }

    @Test
    void completion_and_cancellations_end_a_task_once() {
        Random random = new Random(20260728);
        ModernCaller caller = caller();
        List<String> all = new ArrayList<>();
        List<String> statuses = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            String label = "r" + round;
            String task = caller.task("gate", Map.of("label", label));
            all.add(task);
            List<Runnable> actions = new ArrayList<>(List.of(() -> tools.open(label)));
            for (int i = random.nextInt(3); i >= 0; i--) {
                actions.add(() -> assertThat(
                                caller.cancel(task).result().path("resultType").stringValue())
                        .isEqualTo("complete"));
            }
            Collections.shuffle(actions, random);
            together(actions);
            check(task);
            statuses.add(caller.status(task));
        }
        assertThat(statuses).allMatch(status -> status.equals("completed") || status.equals("cancelled"));
        restart();
        for (int i = 0; i < all.size(); i++) {
            assertThat(caller().status(all.get(i))).isEqualTo(statuses.get(i));
        }
    }

    @Test
    void answers_and_cancellations_end_a_task_once_and_the_first_answer_counts() {
        Random random = new Random(2663);
        ModernCaller caller = caller();
        for (int round = 0; round < ROUNDS; round++) {
            String task = caller.task("multi_input", Map.of());
            List<String> keys = new ArrayList<>(
                    awaitStatus(task, "input_required").path("inputRequests").propertyNames());
            List<Runnable> actions = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                String key = keys.get(i % 2);
                String text = "answer" + i;
                actions.add(() -> assertThat(
                                caller.update(task, Map.of(key, answer(text))).result())
                        .isNotNull());
            }
            boolean cancels = random.nextBoolean();
            if (cancels) {
                actions.add(() -> assertThat(caller.cancel(task).result()).isNotNull());
            }
            Collections.shuffle(actions, random);
            together(actions);
            check(task);
            JsonNode end = caller.get(task);
            List<String> types = types(events(task, -1));
            if (!cancels) {
                assertThat(end.path("status").stringValue()).isEqualTo("completed");
                assertThat(types)
                        .containsExactly("created", "input_requested", "input_received", "input_received", "outcome");
            }
            if (end.path("status").stringValue().equals("completed")) {
                assertThat(text(end.path("result"))).containsPattern("answer[02].*answer[13]|answer[13].*answer[02]");
            }
        }
    }
}
