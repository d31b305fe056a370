package dev.holdfast.mcp.tasks;

import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.mcp.ModernCaller;
import dev.holdfast.mcp.ModernServer;
import dev.holdfast.mcp.TestTools;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A server with durable tasks on a folder, which can be ended and started again. */
abstract class TaskTest {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @TempDir
    private @Nullable Path folder;

    final TestTools tools = new TestTools();
    private @Nullable ModernServer server;
    private @Nullable Holdfast holdfast;

    /** Which tools become tasks. */
    abstract DurableTasks.Builder rules(DurableTasks.Builder tasks);

    HoldfastSettings settings() {
        return HoldfastSettings.defaults();
    }

    static TaskSettings quick() {
        return TaskSettings.defaults().withPollInterval(Duration.ofMillis(20));
    }

    ModernServer server() {
        ModernServer started = server;
        if (started == null) {
            holdfast = Holdfast.open(folder(), settings());
            started = start(holdfast);
            server = started;
        }
        return started;
    }

    ModernServer start(Holdfast opened) {
        return ModernServer.tasks(opened, tools, this::rules);
    }

    Path folder() {
        Path made = folder;
        if (made == null) {
            throw new IllegalStateException("No folder");
        }
        return made;
    }

    Holdfast holdfast() {
        var unused = server();
        Holdfast opened = holdfast;
        if (opened == null) {
            throw new IllegalStateException("Not open");
        }
        return opened;
    }

    ModernCaller caller() {
        return new ModernCaller(server().uri());
    }

    /** Ends the process, as it were; the next use starts another one on the same folder. */
    void restart() {
        stop();
        var unused = server();
    }

    @AfterEach
    void stop() {
        ModernServer started = server;
        server = null;
        if (started != null) {
            started.close();
        }
    }

    static void until(Callable<Boolean> condition) {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(condition);
    }

    /** The task once it has this status. */
    JsonNode awaitStatus(String task, String status) {
        until(() -> caller().status(task).equals(status));
        return caller().get(task);
    }

    static String text(JsonNode result) {
        return result.path("content").path(0).path("text").asString("");
    }

    static Map<String, Object> answer(String text) {
        return Map.of("action", "accept", "content", Map.of("answer", text));
    }

    /** The events of a task that is done, from a number on. */
    List<JsonNode> events(String task, long after) {
        List<JsonNode> messages = caller().ask("tasks/stream", Map.of("taskId", task, "after", after))
                .messages();
        return messages.subList(0, messages.size() - 1).stream()
                .map(message -> message.path("params"))
                .toList();
    }

    /** Their types, without the prefix. */
    static List<String> types(List<JsonNode> events) {
        return events.stream()
                .map(event -> event.path("type").stringValue().replace("dev.holdfast/", ""))
                .toList();
    }
}
