package dev.holdfast.verification.chat;

import dev.holdfast.verification.rig.NodeProject;
import dev.holdfast.verification.rig.NodeTests;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The published clients ai@5, ai@6 and ai@7, pinned, against real servers. The scenes are in {@code verification/chat}. */
final class ChatClientsTest {

    /** 12 scenes with each client, and one more with those that know approvals. */
    private static final int SCENES = 38;

    private static final int MINUTES = 10;

    @TempDir
    private Path scratch;

    @Test
    void every_client_shows_what_the_store_has_S33() throws Exception {
        NodeProject project = NodeProject.installed("chat");
        try (ScriptedModel model = new ScriptedModel();
                Scene scene = new Scene(scratch, model)) {
            NodeTests.expectPassed(
                    project, "clients.test.mjs", Map.of("CHAT_URL", scene.uri().toString()), MINUTES, "ai", SCENES);
        }
    }
}
