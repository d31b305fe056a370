package dev.holdfast.verification.rig;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** Tests written for Node's own runner, in a file of a {@link NodeProject}. */
public final class NodeTests {

    private NodeTests() {}

    /**
     * Runs a file and expects that so many tests passed and none failed.
     *
     * @param prefix what their names begin with, before an {@code @}
     */
    public static void expectPassed(
            NodeProject project, String file, Map<String, String> environment, int minutes, String prefix, int count)
            throws IOException, InterruptedException {
        Path log = project.folder().resolve(file.replace(".test.mjs", ".log"));
        Process tests = project.node(log, environment, "--test", "--test-reporter=tap", file);
        NodeProject.expect(tests, minutes, log);
        String report = Files.readString(log);
        assertThat(lines(report, line -> line.startsWith("not ok"))).as(report).isEmpty();
        assertThat(lines(report, line -> line.matches("ok \\d+ - %s@.*".formatted(prefix))))
                .as(report)
                .hasSize(count);
    }

    private static List<String> lines(String report, Predicate<String> wanted) {
        return report.lines().map(String::strip).filter(wanted).toList();
    }
}
