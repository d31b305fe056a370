package dev.holdfast.verification.chat;

import dev.holdfast.verification.rig.Chromium;
import dev.holdfast.verification.rig.NodeProject;
import dev.holdfast.verification.rig.NodeTests;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code useChat} of {@code @ai-sdk/react}, each major, in a real browser: on pages of another origin than the server's, which is a process that is
 * killed and started again, with a model that goes on meanwhile.
 */
final class BrowserTest {

    /** 9 scenes with each major, and one more with those that know approvals. */
    private static final int SCENES = 29;

    private static final int BUILD_MINUTES = 5;
    private static final int MINUTES = 10;

    @TempDir
    private Path scratch;

    @Test
    void every_window_shows_what_the_store_has() throws Exception {
        Path chromium = Chromium.required();
        NodeProject project = NodeProject.installed("chat");
        Path log = project.folder().resolve("build.log");
        Process build = project.node(log, Map.of(), "build.mjs");
        NodeProject.expect(build, BUILD_MINUTES, log);
        if (build.exitValue() != 0) {
            throw new AssertionError("The pages could not be bundled:\n" + Files.readString(log));
        }
        Pages pages = new Pages(project.folder().resolve("pages"));
        try (ScriptedModel model = new ScriptedModel();
                Scene scene = new Scene(scratch, pages, model)) {
            NodeTests.expectPassed(
                    project,
                    "browser.test.mjs",
                    Map.of("CHAT_URL", scene.uri().toString(), "CHROMIUM", chromium.toString()),
                    MINUTES,
                    "react",
                    SCENES);
        }
    }
}
