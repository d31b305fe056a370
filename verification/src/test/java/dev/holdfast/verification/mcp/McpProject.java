package dev.holdfast.verification.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.verification.rig.NodeProject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The folder {@code verification/mcp} with its packages, and the Node.js that they need, which is newer than what the other tests do with. */
final class McpProject {

    private final NodeProject project;

    private McpProject(NodeProject project) {
        this.project = project;
    }

    static McpProject installed() throws IOException, InterruptedException {
        return new McpProject(NodeProject.installed("mcp"));
    }

    /** Where what a run writes can be put. */
    Path folder() {
        return project.folder();
    }

    Path module(String path) {
        return folder().resolve("node_modules").resolve(path);
    }

    /** Runs a program to its end and returns what it wrote. Its exit code is of no interest: what it wrote must say it all. */
    String run(int minutes, Map<String, String> environment, String... arguments)
            throws IOException, InterruptedException {
        Path log = Files.createTempFile(folder(), "run-", ".log");
        List<String> command = new ArrayList<>(List.of(node()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder().toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        builder.environment().putAll(environment);
        try {
            NodeProject.expect(builder.start(), minutes, log);
            return Files.readString(log);
        } finally {
            Files.delete(log);
        }
    }

    /**
     * Runs a file of tests for Node's own runner and expects that so many passed and none failed.
     *
     * @param prefix what their names begin with, before an {@code @}
     */
    void expectPassed(String file, Map<String, String> environment, int minutes, String prefix, int count)
            throws IOException, InterruptedException {
        String report = run(minutes, environment, "--test", "--test-reporter=tap", file);
        List<String> lines = report.lines().map(String::strip).toList();
        assertThat(lines.stream().filter(line -> line.startsWith("not ok")))
                .as(report)
                .isEmpty();
        assertThat(lines.stream().filter(line -> line.matches("ok \\d+ - %s@.*".formatted(prefix))))
                .as(report)
                .hasSize(count);
    }

    /** The one from the lock file where there is one for this machine, else the one on the path, which is then new enough or says so. */
    String node() {
        String system = System.getProperty("os.name").startsWith("Mac") ? "darwin" : "linux";
        String processor = switch (System.getProperty("os.arch").toLowerCase(Locale.ROOT)) {
            case "amd64", "x86_64" -> "x64";
            default -> "arm64";
        };
        Path pinned = module("node-%s-%s/bin/node".formatted(system, processor));
        return Files.isExecutable(pinned) ? pinned.toString() : "node";
    }
}
