package dev.holdfast.verification.chat;

import dev.holdfast.models.loopback.Recording;
import dev.holdfast.verification.rig.NodeProject;
import dev.holdfast.verification.rig.NodeTests;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Recorded streams of real providers through the agents and the published clients: the message is what the provider sent. */
final class RecordedStreamsTest {

    private static final int MAJORS = 3;
    private static final int MINUTES = 10;

    @TempDir
    private Path scratch;

    @Test
    @Tag("wire-agents")
    @Tag("row-5")
    @Tag("row-8")
    void every_client_has_what_the_provider_sent() throws Exception {
        NodeProject project = NodeProject.installed("chat");
        try (Recordings recordings = new Recordings();
                Scene scene = new Scene(scratch, recordings)) {
            NodeTests.expectPassed(
                    project,
                    "recorded.test.mjs",
                    Map.of("CHAT_URL", scene.uri().toString(), "RECORDINGS", String.join(",", Recording.NAMES)),
                    MINUTES,
                    "ai",
                    MAJORS * Recording.NAMES.size());
        }
    }
}
