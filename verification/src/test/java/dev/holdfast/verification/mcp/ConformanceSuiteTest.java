package dev.holdfast.verification.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The published conformance suite, pinned, against the fixture in a process of its own: what each revision demands, and all that it lists besides.
 * A scenario in which nothing was checked counts as a failure, and so does a warning.
 */
final class ConformanceSuiteTest {

    private static final String STATEFUL = "2025-11-25";
    private static final String STATELESS = "2026-07-28";
    private static final String POLLING = "server-sse-polling";

    /** Lists no check for any server. */
    private static final Set<String> CHECKS_NOTHING = Set.of("tasks-status-notifications");

    private static final int TASKS_SCENARIOS = 10;

    /** What is missed, and why. A miss that is gone must go from here. */
    private static final Map<String, String> KNOWN_MISSES = Map.of();

    @TempDir
    private Path scratch;

    @Test
    void all_of_2025_11_25_passes_and_polling_with_three_checks_and_no_warning() throws Exception {
        McpProject project = McpProject.installed();
        try (FixtureProcess server = FixtureProcess.start(scratch, scratch.resolve("data"), 0)) {
            Conformance results = Conformance.ofRevision(project, server.uri(), STATEFUL);
            assertComplete(project, results, STATEFUL);
            assertPolling(results);
        }
    }

    @Test
    void all_of_2026_07_28_passes_and_so_do_the_tasks() throws Exception {
        McpProject project = McpProject.installed();
        try (FixtureProcess server = FixtureProcess.start(scratch, scratch.resolve("data"), 0)) {
            Conformance results = Conformance.ofRevision(project, server.uri(), STATELESS);
            assertComplete(project, results, STATELESS);
            assertThat(results.scenarios().keySet().stream().filter(name -> name.startsWith("tasks-")))
                    .hasSize(TASKS_SCENARIOS);
        }
    }

    @Test
    void the_sdks_own_transport_fails_polling_by_the_same_assertions() throws Exception {
        McpProject project = McpProject.installed();
        try (FixtureProcess server = FixtureProcess.stock(scratch)) {
            URI uri = server.uri();
            Conformance results = Conformance.ofScenario(project, uri, POLLING, STATEFUL);
            assertThatThrownBy(() -> assertPolling(results)).isInstanceOf(AssertionError.class);
            assertThat(results.missed().keySet())
                    .contains(POLLING + "/server-sse-priming-event", POLLING + "/server-sse-retry-field");
        }
    }

    private static void assertComplete(McpProject project, Conformance results, String revision) throws Exception {
        assertThat(results.scenarios().keySet()).containsAll(Conformance.demanded(project, revision));
        assertThat(results.missed().keySet())
                .as("what failed or was warned of: %s", results.missed())
                .isEqualTo(KNOWN_MISSES.keySet());
        Set<String> empty = results.passed().entrySet().stream()
                .filter(scenario -> scenario.getValue() == 0)
                .map(Map.Entry::getKey)
                .filter(scenario -> !CHECKS_NOTHING.contains(scenario))
                .collect(Collectors.toSet());
        assertThat(empty).as("scenarios in which nothing passed").isEmpty();
    }

    private static void assertPolling(Conformance results) {
        assertThat(results.passed()).as("checks that passed").containsEntry(POLLING, 3L);
        assertThat(results.missed().keySet())
                .as("what failed or was warned of")
                .noneMatch(miss -> miss.startsWith(POLLING + "/"));
    }
}
