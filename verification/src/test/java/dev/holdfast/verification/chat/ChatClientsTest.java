package dev.holdfast.verification.chat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.verification.rig.NodeProject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The published clients ai@5, ai@6 and ai@7, pinned, against real servers. The scenes are in {@code verification/chat}. */
final class ChatClientsTest {

    /** 11 scenes with each client, and one more with those that know approvals. */
    private static final int SCENES = 35;

    private static final int MINUTES = 5;

    @TempDir
    private Path scratch;

    @Test
    void every_client_shows_what_the_store_has() throws Exception {
        NodeProject project = NodeProject.installed("chat");
        Path log = project.folder().resolve("clients.log");
        try (Scene scene = new Scene(scratch)) {
            Process clients = project.node(
                    log,
                    Map.of("CHAT_URL", scene.uri().toString()),
                    "--test",
                    "--test-reporter=tap",
                    "clients.test.mjs");
            NodeProject.expect(clients, MINUTES, log);
        }
        String report = Files.readString(log);
        List<String> passed = report.lines()
                .map(String::strip)
                .filter(line -> line.matches("ok \\d+ - ai@.*"))
                .toList();
        assertThat(report.lines().map(String::strip).filter(line -> line.startsWith("not ok")))
                .as(report)
                .isEmpty();
        assertThat(passed).as(report).hasSize(SCENES);
    }
}
