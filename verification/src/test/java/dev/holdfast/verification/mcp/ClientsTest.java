package dev.holdfast.verification.mcp;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The published clients for Node, pinned, against real server processes. The scenes are in {@code verification/mcp}. */
final class ClientsTest {

    private static final int MINUTES = 5;

    /** Six frames at three places each, for two clients. */
    private static final int CUTS = 36;

    /** Three instants, and one scene more; each with all clients. */
    private static final int KILLS = 4;

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
    void a_killed_server_goes_on_elsewhere_with_all_that_was_stored_EXACT_PREFIX() throws Exception {
        try (Stage stage = new Stage(scratch)) {
            McpProject.installed()
                    .expectPassed("kills.test.mjs", Map.of("MCP_STAGE", stage.address()), MINUTES, "kill", KILLS);
        }
    }
}
