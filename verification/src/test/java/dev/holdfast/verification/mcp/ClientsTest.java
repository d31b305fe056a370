package dev.holdfast.verification.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The published clients for Node, pinned, against real server processes. The scenes are in {@code verification/mcp}. */
final class ClientsTest {

    private static final int MINUTES = 5;

    /** Six frames at three places each, for two clients. */
    private static final int CUTS = 36;

    /** The clients of the 2025 revisions. */
    private static final int CLIENTS = 2;

    /** Three instants, and one scene more; each with all clients. */
    private static final int KILLS = 4;

    /** Scenes of the client for tasks, and of the era of 2026-07-28. */
    private static final int TASKS = 6;

    /** Scenes with kills while there are tasks. */
    private static final int TASK_KILLS = 3;

    private static final String ROUNDS = "nightly".equals(System.getProperty("holdfast.profile")) ? "200" : "20";

    @TempDir
    private Path scratch;

    @Test
    void every_cut_leaves_each_message_once_and_in_order_EVERY_CURSOR() throws Exception {
        try (FixtureProcess server = FixtureProcess.start(scratch, scratch.resolve("data"), 0)) {
            McpProject.installed()
                    .expectPassed(
                            "cuts.test.mjs", Map.of("MCP_URL", server.uri().toString()), MINUTES, "cut", CUTS);
        }
    }

    @Test
    void the_sdks_own_transport_loses_what_was_cut() throws Exception {
        try (FixtureProcess server = FixtureProcess.stock(scratch)) {
            McpProject.installed()
                    .expectPassed(
                            "stock.test.mjs", Map.of("MCP_URL", server.uri().toString()), MINUTES, "stock", CLIENTS);
        }
    }

    @Test
    void a_killed_server_goes_on_elsewhere_with_all_that_was_stored_EXACT_PREFIX() throws Exception {
        try (Stage stage = new Stage(scratch)) {
            McpProject.installed()
                    .expectPassed("kills.test.mjs", Map.of("MCP_STAGE", stage.address()), MINUTES, "kill", KILLS);
        }
    }

    @Test
    void tasks_end_as_they_should_and_cut_requests_are_asked_again() throws Exception {
        try (FixtureProcess server = FixtureProcess.start(scratch, scratch.resolve("data"), 0)) {
            McpProject.installed()
                    .expectPassed(
                            "tasks.test.mjs", Map.of("MCP_URL", server.uri().toString()), MINUTES, "tasks", TASKS);
        }
    }

    @Test
    void tasks_outlive_kills_between_any_two_requests_and_at_any_instant_ONE_OUTCOME() throws Exception {
        String seed = System.getProperty("holdfast.seed", Integer.toString(new Random().nextInt()));
        try (Stage stage = new Stage(scratch)) {
            Map<String, String> environment =
                    Map.of("MCP_STAGE", stage.address(), "MCP_ROUNDS", ROUNDS, "MCP_SEED", seed);
            McpProject.installed().expectPassed("taskkills.test.mjs", environment, MINUTES, "taskkill", TASK_KILLS);
        }
    }

    @Test
    void the_inspector_lists_and_calls() throws Exception {
        McpProject project = McpProject.installed();
        try (FixtureProcess server = FixtureProcess.start(scratch, scratch.resolve("data"), 0)) {
            assertThat(inspect(project, server, "--method", "tools/list"))
                    .contains("\"test_simple_text\"", "\"count\"", "\"json_schema_2020_12_tool\"");
            assertThat(inspect(project, server, "--method", "tools/call", "--tool-name", "count", "--tool-arg", "to=3"))
                    .contains("Counted to 3.");
        }
    }

    private static String inspect(McpProject project, FixtureProcess server, String... what) throws Exception {
        String[] arguments = Stream.concat(
                        Stream.of(
                                project.module("@modelcontextprotocol/inspector/clients/launcher/build/index.js")
                                        .toString(),
                                "--cli",
                                server.uri().toString(),
                                "--transport",
                                "http"),
                        Stream.of(what))
                .toArray(String[]::new);
        return project.run(MINUTES, Map.of(), arguments);
    }
}
