package dev.holdfast.verification.session;

import dev.holdfast.verification.rig.Chromium;
import dev.holdfast.verification.rig.Nginx;
import dev.holdfast.verification.rig.NodeProject;
import dev.holdfast.verification.rig.NodeTests;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The session transport with {@code client-js} in a real browser: tabs that are reloaded, hidden, put into the browser's cache and cut off, servers that
 * are killed, and proxies that buffer, cut and do not know WebSockets. What each page shows is what the store has.
 */
final class BrowserAndProxiesTest {

    private static final int SCENES_IN_TABS = 22;
    private static final int SCENES_BEHIND_PROXIES = 14;

    private static final int BUILD_MINUTES = 5;
    private static final int MINUTES = 10;

    private static Path chromium;
    private static NodeProject project;

    @TempDir
    private Path scratch;

    @BeforeAll
    static void build() throws Exception {
        chromium = Chromium.required();
        project = NodeProject.installed("sessions");
        Path client = Path.of("..", "client-js", "src", "index.ts").toRealPath();
        Path log = project.folder().resolve("build.log");
        Process build = project.node(log, Map.of("CLIENT", client.toString()), "build.mjs");
        NodeProject.expect(build, BUILD_MINUTES, log);
        if (build.exitValue() != 0) {
            throw new AssertionError("The page could not be bundled:\n" + Files.readString(log));
        }
    }

    private void expectPassed(String file, Map<String, String> environment, int scenes) throws Exception {
        NodeTests.expectPassed(project, file, environment, MINUTES, "\\w+", scenes);
    }

    @Test
    void whatever_a_tab_goes_through_it_has_each_event_once() throws Exception {
        try (Stage stage = new Stage(scratch)) {
            expectPassed(
                    "tabs.test.mjs",
                    Map.of("STAGE_URL", stage.uri().toString(), "CHROMIUM", chromium.toString()),
                    SCENES_IN_TABS);
        }
    }

    @Test
    void whatever_a_proxy_does_every_event_arrives_once() throws Exception {
        Path nginx = Nginx.required();
        try (Stage stage = new Stage(scratch)) {
            expectPassed(
                    "proxies.test.mjs",
                    Map.of(
                            "STAGE_URL",
                            stage.uri().toString(),
                            "CHROMIUM",
                            chromium.toString(),
                            "NGINX_PROGRAM",
                            nginx.toString()),
                    SCENES_BEHIND_PROXIES);
        }
    }
}
