package dev.holdfast.verification.rig;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What a run of Vitest in a {@link NodeProject} came to. */
public final class VitestReport {

    private final JsonNode json;

    private VitestReport(JsonNode json) {
        this.json = json;
    }

    /**
     * Runs the tests.
     *
     * @param arguments more of Vitest's own, such as the files
     */
    public static VitestReport of(
            NodeProject project, Map<String, String> environment, int minutes, String... arguments)
            throws IOException, InterruptedException {
        Path made = project.folder().resolve("target"); // of a project that is not a copy
        Path folder = Files.isDirectory(made) ? made : project.folder();
        Path report = folder.resolve("report.json");
        Path log = folder.resolve("vitest.log");
        Files.deleteIfExists(report);
        String[] all = Stream.concat(
                        Stream.of("node_modules/vitest/vitest.mjs", "run", "--reporter=json", "--outputFile=" + report),
                        Stream.of(arguments))
                .toArray(String[]::new);
        NodeProject.expect(project.node(log, environment, all), minutes, log);
        if (!Files.exists(report)) {
            throw new AssertionError("Vitest wrote no report:\n" + Files.readString(log));
        }
        return new VitestReport(JsonMapper.shared().readTree(Files.readString(report)));
    }

    /** Expects that tests ran, so many at least, and that none failed or was left out. */
    public void expectAllPassed(int least) {
        assertThat(failures()).as("failed tests").isEmpty();
        int total = json.get("numTotalTests").asInt();
        assertThat(json.get("numPassedTests").asInt()).as("passed tests").isEqualTo(total);
        assertThat(total).as("tests").isGreaterThanOrEqualTo(least);
    }

    private List<String> failures() {
        List<String> failures = new ArrayList<>();
        for (JsonNode file : json.get("testResults")) {
            boolean named = false;
            for (JsonNode test : file.get("assertionResults")) {
                if (test.get("status").asString().equals("failed")) {
                    named = true;
                    failures.add(test.get("fullName").asString() + ": "
                            + test.get("failureMessages").path(0).asString(""));
                }
            }
            if (!named && file.get("status").asString().equals("failed")) {
                failures.add(file.get("name").asString() + ": "
                        + file.path("message").asString(""));
            }
        }
        return failures;
    }
}
