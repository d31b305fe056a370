package dev.holdfast.verification.web;

import dev.holdfast.Holdfast;
import dev.holdfast.http.FrontDoor;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.HttpListener;
import dev.holdfast.http.Router;
import dev.holdfast.http.Trust;
import dev.holdfast.http.jetty.JettyServer;
import dev.holdfast.verification.chat.KillableServer;
import dev.holdfast.verification.rig.Chromium;
import dev.holdfast.verification.rig.NodeProject;
import dev.holdfast.verification.rig.NodeTests;
import dev.holdfast.verification.rig.VitestReport;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The web app as {@code holdfast serve} shows it, in a real browser: the demo answers, connections are cut, devices change and the server's process is
 * killed in the middle of answers.
 */
final class WebAppTest {

    private static final int ANSWER_SCENES = 18;
    private static final int CONVERSATION_SCENES = 14;
    private static final int KEY_SCENES = 1;
    private static final int LARGE_SCENES = 2;

    /** Fewer would mean that files were left out. */
    private static final int LEAST_PART_TESTS = 105;

    private static final int MINUTES = 10;

    @TempDir
    private Path scratch;

    @Test
    void an_answer_goes_on_whatever_is_cut_and_whoever_reads() throws Exception {
        play("answers.test.mjs", "answers", ANSWER_SCENES);
    }

    @Test
    void a_person_finds_everything_where_it_was() throws Exception {
        play("conversations.test.mjs", "conversations", CONVERSATION_SCENES);
    }

    @Test
    void a_server_with_keys_asks_for_one() throws Exception {
        play("key.test.mjs", "key", KEY_SCENES, "--api-key", "hf_key_of_the_scene");
    }

    private void play(String file, String prefix, int scenes, String... options) throws Exception {
        Path chromium = Chromium.required();
        NodeProject project = NodeProject.installed("web");
        Router.Builder routes = Router.builder();
        HttpLimits limits = HttpLimits.defaults();
        try (KillableServer server = new KillableServer(scratch, () -> List.of(options))) {
            server.addTo(routes);
            FrontDoor door = new FrontDoor(routes.build(), Trust.loopback(Holdfast.DEFAULT_TENANT), limits);
            HttpListener control = new JettyServer("127.0.0.1", 0, limits, door);
            try {
                control.start();
                NodeTests.expectPassed(
                        project,
                        file,
                        Map.of("CONTROL_URL", "http://127.0.0.1:" + control.port(), "CHROMIUM", chromium.toString()),
                        MINUTES,
                        prefix,
                        scenes);
            } finally {
                control.close();
            }
        }
    }

    @Test
    void much_is_shown_as_lightly_as_little() throws Exception {
        Path chromium = Chromium.required();
        NodeProject project = NodeProject.installed("web");
        try (LargeStage stage = new LargeStage(scratch)) {
            NodeTests.expectPassed(
                    project,
                    "large.test.mjs",
                    Map.of("CONTROL_URL", stage.uri().toString(), "CHROMIUM", chromium.toString()),
                    MINUTES,
                    "large",
                    LARGE_SCENES);
        }
    }

    @Test
    void its_parts_without_a_browser_do_what_they_say() throws Exception {
        NodeProject project = NodeProject.at(Path.of("..", "web"));
        VitestReport.of(project, Map.of(), MINUTES).expectAllPassed(LEAST_PART_TESTS);
    }
}
