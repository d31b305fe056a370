package dev.holdfast.mcp.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.mcp.ModernCaller;
import dev.holdfast.mcp.ModernServer;
import dev.holdfast.mcp.TestTools;
import dev.holdfast.node.NodeSettings;
import dev.holdfast.store.Time;
import dev.holdfast.testkit.SimCoordination;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** A task that one node of a cluster runs, asked for and changed at the others, and taken up by one of them when that node is gone. */
@Timeout(240)
final class OtherNodeTest {

    private static final Duration LEASE = Duration.ofSeconds(2);

    private final SimCoordination database = new SimCoordination(8, Time.system(), LEASE);
    private final TestTools tools = new TestTools();
    private final List<AutoCloseable> open = new ArrayList<>();
    private final List<Long> asleep = new ArrayList<>();

    /** A node and who calls it. */
    private record Node(Holdfast holdfast, ModernServer server, ModernCaller caller) {}

    private final Node a = node("a");
    private final Node b = node("b");
    private final Node c = node("c");

    private Node node(String name) {
        Holdfast holdfast = Holdfast.join(
                database, HoldfastSettings.defaults(), NodeSettings.named(name).withLease(LEASE));
        ModernServer server = ModernServer.tasks(
                holdfast,
                tools,
                tasks -> tasks.tool("gate", TaskPolicy.always(), AfterRestart.FAIL)
                        .tool("teller", TaskPolicy.always(), AfterRestart.RERUN)
                        .tool("multi_input", TaskPolicy.always(), AfterRestart.FAIL)
                        .settings(TaskSettings.defaults().withPollInterval(Duration.ofMillis(20))));
        open.add(server);
        return new Node(holdfast, server, new ModernCaller(server.uri()));
    }

    @AfterEach
    void end() throws Exception {
        asleep.forEach(database::wake); // or they could not be closed
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    private static ConditionFactory await() {
        return Awaitility.await().atMost(Duration.ofMinutes(2));
    }

    private static JsonNode awaitStatus(Node node, String task, String status) {
        await().untilAsserted(() -> assertThat(node.caller().status(task)).isEqualTo(status));
        return node.caller().get(task);
    }

    private static Map<String, Object> answer(String text) {
        return Map.of("action", "accept", "content", Map.of("answer", text));
    }

    private void kill(Node node) {
        long id = node.holdfast().peers().self();
        database.putToSleep(id);
        asleep.add(id);
    }

    @Test
    void how_a_task_stands_is_the_same_at_every_node() {
        String task = a.caller().task("teller", Map.of("label", "x", "events", 1));
        await().until(() -> tools.counted("came x") == 1);
        for (Node each : List.of(a, b, c)) {
            JsonNode stands = each.caller().get(task);
            assertThat(stands).isEqualTo(a.caller().get(task));
            assertThat(stands.path("statusMessage").asString("")).isEqualTo("step 1");
        }
        tools.open("x");
        JsonNode done = awaitStatus(b, task, "completed");
        assertThat(c.caller().get(task)).isEqualTo(done);
        assertThat(a.caller().get(task)).isEqualTo(done);
    }

    @Test
    void questions_are_seen_at_one_node_and_answered_in_parts_at_others() {
        String task = a.caller().task("multi_input", Map.of());
        JsonNode asked = awaitStatus(b, task, "input_required");
        assertThat(asked.path("inputRequests").propertyNames()).hasSize(2);
        assertThat(b.caller().update(task, Map.of("first-1", answer("1"))).result())
                .isNotNull();
        assertThat(c.caller().get(task).path("inputRequests").propertyNames()).containsExactly("second-1");
        assertThat(c.caller().update(task, Map.of("second-1", answer("2"))).result())
                .isNotNull();
        awaitStatus(a, task, "completed");
        assertThat(c.caller().update(task, Map.of("second-1", answer("3"))).result())
                .isNotNull();
    }

    @Test
    void a_task_is_cancelled_at_another_node_and_its_tool_interrupted() {
        String task = a.caller().task("gate", Map.of("label", "x"));
        await().until(() -> tools.counted("came x") == 1);
        assertThat(b.caller().cancel(task).result()).isNotNull();
        assertThat(c.caller().status(task)).isEqualTo("cancelled");
        await().until(() -> tools.counted("interrupted x") == 1);
        assertThat(c.caller().cancel(task).result()).isNotNull();
    }

    @Test
    void nobody_elses_task_is_there_at_any_node() {
        for (Node each : List.of(a, b, c)) {
            assertThat(each.caller()
                            .ask("tasks/get", Map.of("taskId", "2.AAAAAAAAAAAAAAAAAAAAAAAAAAA"))
                            .code())
                    .isEqualTo(-32602);
        }
    }

    @Test
    void a_subscription_at_another_node_is_told_of_every_status() {
        String task = a.caller().task("multi_input", Map.of());
        awaitStatus(b, task, "input_required");
        try (ModernCaller.Stream stream =
                b.caller().open("subscriptions/listen", Map.of("notifications", Map.of("taskIds", List.of(task))))) {
            assertThat(next(stream).path("method").asString()).isEqualTo("notifications/subscriptions/acknowledged");
            awaitTold(stream, "input_required");
            assertThat(c.caller()
                            .update(task, Map.of("first-1", answer("1"), "second-1", answer("2")))
                            .result())
                    .isNotNull();
            awaitStatus(c, task, "completed");
            awaitTold(stream, "completed");
        }
    }

    private static JsonNode next(ModernCaller.Stream stream) {
        return Objects.requireNonNull(stream.next());
    }

    private static void awaitTold(ModernCaller.Stream stream, String status) {
        JsonNode told = next(stream);
        while (!told.path("params").path("status").asString("").equals(status)) {
            assertThat(told.path("method").asString("")).isEqualTo("notifications/tasks");
            told = next(stream);
        }
    }

    @RepeatedTest(5) // a race: once in a few times
    void the_events_of_a_task_are_streamed_at_another_node_to_its_outcome() {
        String task = a.caller().task("teller", Map.of("label", "x", "events", 3));
        try (ModernCaller.Stream stream = b.caller().open("tasks/stream", Map.of("taskId", task))) {
            List<Long> seen = new ArrayList<>();
            tools.open("x");
            JsonNode message = next(stream);
            while (message.has("method")) {
                seen.add(message.path("params").path("seq").longValue());
                message = next(stream);
            }
            assertThat(message.path("result").path("status").asString(""))
                    .as(message::toString)
                    .isEqualTo("completed");
            assertThat(seen).startsWith(0L, 1L, 2L, 3L).isSorted().doesNotHaveDuplicates();
        }
    }

    @Test
    void the_tasks_of_a_dead_node_are_taken_up_once_as_after_a_restart_ONE_OUTCOME() {
        String fails = a.caller().task("gate", Map.of("label", "x"));
        String again = a.caller().task("teller", Map.of("label", "y", "events", 1));
        String waits = a.caller().task("multi_input", Map.of());
        await().until(() -> tools.counted("came x") == 1 && tools.counted("came y") == 1);
        awaitStatus(c, waits, "input_required");
        kill(a);
        JsonNode failed = awaitStatus(b, fails, "failed");
        assertThat(failed.path("error").path("data").path("reason").asString()).isEqualTo("server-restarted");
        await().until(() -> tools.counted("came y") == 2);
        tools.open("x");
        tools.open("y");
        awaitStatus(b, again, "completed");
        assertThat(tools.counted("came y")).isEqualTo(2); // on one of the two
        await().until(() -> b.caller()
                .update(waits, Map.of("first-1", answer("1"), "second-1", answer("2")))
                .response()
                .has("result"));
        awaitStatus(c, waits, "completed");
        assertThat(c.caller().get(fails)).isEqualTo(failed);
    }

    @Test
    void a_node_that_joins_leaves_tasks_alone_that_run_on_others() {
        String task = a.caller().task("gate", Map.of("label", "x"));
        await().until(() -> tools.counted("came x") == 1);
        Node later = node("d");
        assertThat(later.caller().status(task)).isEqualTo("working");
        tools.open("x");
        awaitStatus(later, task, "completed");
        assertThat(tools.counted("came x")).isEqualTo(1);
    }
}
