package dev.holdfast.mcp.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.mcp.FaultyStore;
import dev.holdfast.mcp.ModernCaller;
import dev.holdfast.mcp.ModernServer;
import dev.holdfast.mcp.TestTools;
import dev.holdfast.store.StoreProvider;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a process left is taken up once, also by a store that refuses at first. */
class TaskTakeUpTest {

    /** More than a page of a listing. */
    private static final int MANY = 130;

    @TempDir
    private Path folder;

    private final TestTools tools = new TestTools();
    private FaultyStore store;
    private ModernServer server;
    private ModernCaller caller;

    @BeforeEach
    void open() {
        start(none -> {});
    }

    private void start(Consumer<FaultyStore> faults) {
        HoldfastSettings settings = HoldfastSettings.defaults();
        StoreProvider provider =
                ServiceLoader.load(StoreProvider.class).findFirst().orElseThrow();
        store = new FaultyStore(provider.open(folder, settings.store()));
        Holdfast holdfast = Holdfast.open(store, settings);
        faults.accept(store);
        server = ModernServer.tasks(
                holdfast,
                tools,
                tasks -> tasks.tool("gate", TaskPolicy.always(), AfterRestart.RERUN)
                        .tool("patient_gate", TaskPolicy.always(), AfterRestart.FAIL)
                        .settings(TaskSettings.defaults()
                                .withPollInterval(Duration.ofMillis(20))
                                .withMaxUnfinished(MANY, MANY)));
        caller = new ModernCaller(server.uri());
    }

    @AfterEach
    void close() {
        store.full(false);
        server.close();
    }

    @Test
    void a_listing_that_is_refused_half_way_runs_no_task_twice_and_loses_no_place() {
        List<String> tasks = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            tasks.add(caller.task("gate", Map.of("label", "a")));
        }
        TaskTest.until(() -> tools.counted("came a") == MANY);
        server.close();

        start(faulty -> faulty.refuseListing(2));
        TaskTest.until(() -> tools.counted("came a") == 2 * MANY);
        assertThat(caller.tool("gate", Map.of("label", "b"))
                        .error()
                        .path("data")
                        .path("reason")
                        .stringValue())
                .isEqualTo("too_many_tasks");
        tools.open("a");
        for (String task : tasks) {
            TaskTest.until(() -> caller.status(task).equals("completed"));
        }
        assertThat(tools.counted("came a")).isEqualTo(2 * MANY);
        for (int i = 0; i < MANY; i++) { // all places are free again
            assertThat(caller.task("gate", Map.of("label", "b"))).hasSize(27);
        }
        tools.open("b");
    }

    @Test
    void a_task_that_cannot_be_taken_over_for_lack_of_room_is_when_there_is_some() {
        String failing = caller.task("patient_gate", Map.of("label", "a"));
        String running = caller.task("gate", Map.of("label", "a"));
        TaskTest.until(() -> tools.counted("came a") == 2);
        server.close();

        start(faulty -> faulty.full(true));
        assertThat(caller.status(failing)).isEqualTo("working");
        var refused = caller.cancel(failing).error();
        assertThat(refused.path("data").path("reason").stringValue()).isEqualTo("not_stored");
        store.full(false);
        TaskTest.until(() -> caller.status(failing).equals("failed"));
        TaskTest.until(() -> tools.counted("came a") == 3);
        tools.open("a");
        TaskTest.until(() -> caller.status(running).equals("completed"));
    }
}
