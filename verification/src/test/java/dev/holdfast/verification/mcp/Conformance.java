package dev.holdfast.verification.mcp;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a run of the conformance suite came to, as its files say: its exit code is 0 also for what it only warns of, and for a scenario that
 * checked nothing.
 */
record Conformance(Map<String, List<Check>> scenarios) {

    private static final int MINUTES = 5;

    /** Where each scenario's folder has the time of its run. */
    private static final String FOLDER = "server-(.*)-\\d{4}-\\d\\d-\\d\\dT[0-9-]+Z";

    /** One thing that was looked at. */
    record Check(String id, String status, String message) {
        boolean passed() {
            return status.equals("SUCCESS");
        }

        boolean missed() {
            return status.equals("FAILURE") || status.equals("WARNING");
        }
    }

    /** Runs everything that a revision has, what counts and what does not. */
    static Conformance ofRevision(McpProject project, URI server, String revision)
            throws IOException, InterruptedException {
        return run(project, server, "--requirements", revision);
    }

    static Conformance ofScenario(McpProject project, URI server, String scenario, String revision)
            throws IOException, InterruptedException {
        return run(project, server, "--scenario", scenario, "--spec-version", revision);
    }

    private static Conformance run(McpProject project, URI server, String... what)
            throws IOException, InterruptedException {
        Path out = Files.createTempDirectory(project.folder(), "checks-");
        List<String> arguments = new ArrayList<>(List.of(
                project.module("@modelcontextprotocol/conformance/dist/index.js")
                        .toString(),
                "server",
                "--url",
                server.toString(),
                "-o",
                out.toString()));
        arguments.addAll(List.of(what));
        String said = project.run(MINUTES, Map.of(), arguments.toArray(String[]::new));
        Map<String, List<Check>> found = new TreeMap<>();
        try (Stream<Path> folders = Files.list(out)) {
            for (Path folder : folders.toList()) {
                String name = folder.getFileName().toString();
                found.put(name.replaceFirst(FOLDER, "$1"), checks(folder.resolve("checks.json")));
            }
        }
        if (found.isEmpty()) {
            throw new AssertionError("the suite ran nothing:\n" + said);
        }
        return new Conformance(found);
    }

    private static List<Check> checks(Path file) throws IOException {
        List<Check> checks = new ArrayList<>();
        for (JsonNode check : JsonMapper.shared().readTree(Files.readString(file))) {
            checks.add(new Check(
                    check.get("id").asString(),
                    check.get("status").asString(),
                    check.path("errorMessage").asString("")));
        }
        return checks;
    }

    /** How many checks passed in each scenario. */
    Map<String, Long> passed() {
        Map<String, Long> counts = new TreeMap<>();
        scenarios.forEach((name, checks) ->
                counts.put(name, checks.stream().filter(Check::passed).count()));
        return counts;
    }

    /** What failed or was warned of, as {@code scenario/check}, with what the suite said. */
    Map<String, String> missed() {
        Map<String, String> misses = new TreeMap<>();
        scenarios.forEach((name, checks) -> checks.stream()
                .filter(Check::missed)
                .forEach(check -> misses.merge(name + "/" + check.id(), check.message(), (a, b) -> a + "; " + b)));
        return misses;
    }

    /** The scenarios that a revision demands, as the suite itself lists them. */
    static Collection<String> demanded(McpProject project, String revision) throws IOException {
        Path list = project.module("@modelcontextprotocol/conformance/requirements/" + revision + ".yaml");
        List<String> scenarios = Files.readAllLines(list).stream()
                .dropWhile(line -> !line.equals("server:"))
                .skip(1)
                .takeWhile(line -> line.isBlank() || line.startsWith(" "))
                .filter(line -> line.startsWith("  - "))
                .map(line -> line.substring("  - ".length()).strip())
                .toList();
        if (scenarios.isEmpty()) {
            throw new AssertionError("no scenario is demanded by " + list);
        }
        return scenarios;
    }
}
