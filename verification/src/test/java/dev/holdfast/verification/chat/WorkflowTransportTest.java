package dev.holdfast.verification.chat;

import dev.holdfast.verification.rig.NodeProject;
import dev.holdfast.verification.rig.NodeTests;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The published transport of {@code @ai-sdk/workflow}, whose client comes back with the number of the next chunk (EVERY-CURSOR). */
final class WorkflowTransportTest {

    private static final int SCENES = 12;
    private static final int MINUTES = 10;

    @TempDir
    private Path scratch;

    @Test
    @Tag("row-13")
    void whatever_breaks_the_client_has_each_chunk_once() throws Exception {
        NodeProject project = NodeProject.installed("chat");
        try (Scene scene = new Scene(scratch)) {
            NodeTests.expectPassed(
                    project,
                    "workflow.test.mjs",
                    Map.of("CHAT_URL", scene.uri().toString()),
                    MINUTES,
                    "workflow",
                    SCENES);
        }
    }
}
