package dev.holdfast.mcp.tasks;

import dev.holdfast.Holdfast;
import dev.holdfast.mcp.ModernServer;
import dev.holdfast.mcp.TestTools;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** Serves the tools that the published suite's scenarios of tasks call, until it is ended. Prints where. */
public final class ConformanceFixture {

    private ConformanceFixture() {}

    public static void main(String[] args) throws Exception {
        Path folder = args.length > 0 ? Path.of(args[0]) : Files.createTempDirectory("holdfast-mcp");
        ModernServer server = ModernServer.tasks(Holdfast.open(folder), new TestTools(), ConformanceFixture::rules);
        System.out.println(server.uri());
        Thread.currentThread().join();
    }

    static DurableTasks.Builder rules(DurableTasks.Builder tasks) {
        return tasks.tool("slow_compute", TaskPolicy.always(), AfterRestart.RERUN)
                .tool("failing_job", TaskPolicy.required(), AfterRestart.FAIL)
                .tool("protocol_error_job", TaskPolicy.always(), AfterRestart.FAIL)
                .tool("confirm_delete", TaskPolicy.always(), AfterRestart.FAIL)
                .tool("multi_input", TaskPolicy.always(), AfterRestart.FAIL)
                .tool("test_tool_with_task", TaskPolicy.required().inputFirst(), AfterRestart.FAIL)
                .settings(TaskSettings.defaults().withPollInterval(Duration.ofMillis(50)));
    }
}
