package dev.holdfast.verification.durablestreams;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The published conformance suite, pinned, against a real server process. A run in which a test was left out, under whatever name, fails like
 * one in which a test failed.
 */
final class ConformanceTest {

    /** All tests of suite 0.3.6, those of subscriptions among them, but those of forks (82), which are not served. */
    private static final int EXPECTED_PASSED = 256;

    private static final int EXPECTED_LEFT_OUT = 82;

    private static final String ALL_BUT_FORKS = "^(?!Fork)";

    private static final int SUITE_MINUTES = 4;

    @TempDir
    private Path scratch;

    @Test
    void the_whole_suite_passes() throws Exception {
        NodeProject project = NodeProject.installed();
        Path report = project.folder().resolve("report.json");
        Path log = project.folder().resolve("suite.log");
        Files.deleteIfExists(report);
        // the suite waits for long-polls to end within the five seconds its runner gives a test
        try (ServerProcess server = ServerProcess.start(scratch, scratch.resolve("data"), 0, "--long-poll-ms", "500")) {
            Process suite = project.node(
                    log,
                    Map.of("CONFORMANCE_URL", server.uri().toString(), "CONFORMANCE_SUBSCRIPTIONS", "1"),
                    "node_modules/vitest/vitest.mjs",
                    "run",
                    "--testNamePattern=" + ALL_BUT_FORKS,
                    "--reporter=json",
                    "--outputFile=" + report);
            NodeProject.expect(suite, SUITE_MINUTES, log);
            assertThat(report).as(() -> read(log)).exists();
            JsonNode results = JsonMapper.shared().readTree(Files.readString(report));
            assertThat(failures(results)).as("failed tests").isEmpty();
            assertThat(results.get("numPassedTests").asInt()).as("passed tests").isEqualTo(EXPECTED_PASSED);
            assertThat(results.get("numTotalTests").asInt())
                    .as("tests in the suite")
                    .isEqualTo(EXPECTED_PASSED + EXPECTED_LEFT_OUT);
            assertThat(server.log()).as("warnings and errors of the server").doesNotContain("ERROR");
        }
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

    private static String read(Path log) {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            return e.toString();
        }
    }
}
