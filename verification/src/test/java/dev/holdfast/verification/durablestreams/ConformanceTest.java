package dev.holdfast.verification.durablestreams;

import static dev.holdfast.verification.rig.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.verification.rig.NodeProject;
import dev.holdfast.verification.rig.ServerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The published conformance suite, pinned, against a real server process. A run in which a test was left out, under whatever name, fails like
 * one in which a test failed.
 */
final class ConformanceTest {

    /** All tests of suite 0.3.6, subscriptions as well. The reference server passes 332 of them. */
    private static final int TESTS = 338;

    private static final int SUITE_MINUTES = 10;

    @TempDir
    private Path scratch;

    @ParameterizedTest
    @ValueSource(strings = {"jetty", "tomcat"})
    void the_whole_suite_passes_and_what_it_left_outlives_a_kill(String binding) throws Exception {
        NodeProject project = NodeProject.installed("conformance");
        ServerProcess first = start(binding);
        try (HalfDone halfDone = halfDone(first, project)) {
            LeftBehind left = new LeftBehind(read(project.folder().resolve("left.json")));
            await().until(() -> !left.somethingExpiresSoon(first.uri()));
            Map<String, String> before = left.answers(first.uri());
            assertThat(before).hasSizeGreaterThan(2 * TESTS);
            assertThat(first.log()).as("warnings and errors of the server").doesNotContain("ERROR");
            first.kill();
            try (ServerProcess second = start(binding)) {
                assertThat(left.answers(second.uri())).containsExactlyInAnyOrderEntriesOf(before);
                halfDone.goesOn(second.uri());
                assertThat(left.leftAfterDeleting(second.uri()))
                        .as("sources that no fork needs any more")
                        .isEmpty();
            }
        } finally {
            first.close();
        }
    }

    /** The suite, and what it would leave if it stopped in the middle of its subscriptions. */
    private HalfDone halfDone(ServerProcess server, NodeProject project) throws Exception {
        check(run(project, server));
        return new HalfDone(server.uri());
    }

    /** The suite waits for long-polls to end. */
    private ServerProcess start(String binding) {
        return ServerProcess.start(scratch, scratch.resolve("data"), 0, "--binding", binding, "--long-poll-ms", "500");
    }

    private static JsonNode run(NodeProject project, ServerProcess server) throws Exception {
        Path report = project.folder().resolve("report.json");
        Path log = project.folder().resolve("suite.log");
        Files.deleteIfExists(report);
        Process suite = project.node(
                log,
                Map.of(
                        "CONFORMANCE_URL", server.uri().toString(),
                        "CONFORMANCE_SUBSCRIPTIONS", "1",
                        "CONFORMANCE_LEFT",
                                project.folder().resolve("left.json").toString()),
                "node_modules/vitest/vitest.mjs",
                "run",
                "--reporter=json",
                "--outputFile=" + report);
        NodeProject.expect(suite, SUITE_MINUTES, log);
        if (!Files.exists(report)) {
            throw new AssertionError("the suite wrote no report:\n" + Files.readString(log));
        }
        return read(report);
    }

    private static void check(JsonNode results) {
        assertThat(failures(results)).as("failed tests").isEmpty();
        assertThat(results.get("numPassedTests").asInt()).as("passed tests").isEqualTo(TESTS);
        assertThat(results.get("numTotalTests").asInt())
                .as("tests in the suite")
                .isEqualTo(TESTS);
    }

    private static JsonNode read(Path json) throws IOException {
        return JsonMapper.shared().readTree(Files.readString(json));
    }

    private static List<String> failures(JsonNode results) {
        List<String> failures = new ArrayList<>();
        for (JsonNode file : results.get("testResults")) {
            for (JsonNode test : file.get("assertionResults")) {
                if (test.get("status").asString().equals("failed")) {
                    String message = test.get("failureMessages").path(0).asString("");
                    failures.add(test.get("fullName").asString() + ": "
                            + message.lines().findFirst().orElse(""));
                }
            }
            if (file.get("status").asString().equals("failed")
                    && file.get("assertionResults").isEmpty()) {
                failures.add(file.get("name").asString() + ": "
                        + file.path("message").asString(""));
            }
        }
        return failures;
    }
}
