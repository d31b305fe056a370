package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.StorePoisoned;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The table of errors in {@code docs/api.md} is the one of the code. */
final class ProblemTableTest {

    private static final Path PAGE = Path.of("..", "docs", "api.md");
    private static final Pattern ROW = Pattern.compile("\\| ([0-9, ]+) \\| (`[^|]+) \\|[^|]*\\|([^|]*)\\|");
    private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");

    private final StorePoisoned leaseLost =
            StorePoisoned.ofLostLease("taken over", new IllegalStateException("stale epoch"));

    /** A line of the table, for one of its names. */
    private record Row(Set<Integer> statuses, Set<String> members) {}

    private static Map<String, List<Row>> rows() throws IOException {
        Map<String, List<Row>> rows = new LinkedHashMap<>();
        String page = Files.readString(PAGE);
        String table = page.substring(page.indexOf("\n## Errors\n"));
        ROW.matcher(table).results().forEach(row -> {
            Set<Integer> statuses = Arrays.stream(row.group(1).split(","))
                    .map(status -> Integer.valueOf(status.strip()))
                    .collect(Collectors.toSet());
            Row each = new Row(statuses, quoted(row.group(3)));
            quoted(row.group(2))
                    .forEach(name ->
                            rows.computeIfAbsent(name, any -> new ArrayList<>()).add(each));
        });
        return rows;
    }

    private static Set<String> quoted(String cell) {
        return QUOTED.matcher(cell)
                .results()
                .map((MatchResult found) -> found.group(1))
                .collect(Collectors.toSet());
    }

    private static Stream<Class<?>> errors() {
        return Arrays.stream(HoldfastException.class.getPermittedSubclasses());
    }

    /** The error with any arguments. */
    private static HoldfastException any(Class<?> type) {
        try {
            Constructor<?> constructor = type.getConstructors()[0];
            Object[] arguments = Arrays.stream(constructor.getParameterTypes())
                    .map(ProblemTableTest::anything)
                    .toArray();
            return (HoldfastException) constructor.newInstance(arguments);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(type + " cannot be made", e);
        }
    }

    private static Object anything(Class<?> type) {
        if (type == String.class) {
            return "x";
        }
        if (type == long.class) {
            return 7L;
        }
        if (type == int.class) {
            return 7;
        }
        if (type == boolean.class) {
            return true;
        }
        return new IllegalStateException("the cause");
    }

    @TestFactory
    Stream<DynamicTest> every_error_has_the_status_and_name_that_docs_api_lists() throws IOException {
        Map<String, List<Row>> rows = rows();
        return errors().map(type -> DynamicTest.dynamicTest(type.getSimpleName(), () -> {
            Problem problem = ProblemTable.of(any(type));
            assertThat(rows).as("names in the table of docs/api.md").containsKey(problem.type());
            List<Row> found = rows.get(problem.type());
            assertThat(found).hasSize(1);
            assertThat(found.getFirst().statuses()).containsExactly(problem.status());
            assertThat(found.getFirst().members()).containsAll(problem.members().keySet());
            boolean comesBack = problem.status() == 503 || problem.status() == 507;
            assertThat(problem.headers().containsKey("Retry-After"))
                    .as("503 and 507 carry Retry-After")
                    .isEqualTo(comesBack);
        }));
    }

    @Test
    void a_lost_lease_is_told_apart_from_a_broken_store_and_asks_for_a_try_within_seconds() {
        Problem problem = ProblemTable.of(leaseLost);
        assertThat(problem.status()).isEqualTo(503);
        assertThat(problem.type()).isEqualTo("lease-lost");
        assertThat(problem.headers()).containsEntry("Retry-After", "2");
        assertThat(ProblemTable.of(StorePoisoned.again(leaseLost))).isEqualTo(problem);
    }

    @Test
    void every_name_that_docs_api_lists_is_one_of_the_code() throws IOException {
        Set<String> names =
                errors().map(type -> ProblemTable.of(any(type)).type()).collect(Collectors.toSet());
        names.add(ProblemTable.of(leaseLost).type());
        names.addAll(Set.of(
                "malformed-request",
                "key-required",
                "wrong-host",
                "wrong-origin",
                "no-such-route",
                "overlay-not-found",
                "method-not-allowed",
                "body-too-large",
                "unsupported-media-type",
                "internal-error",
                "too-many-connections")); // those of HTTP itself, and of what only a path names
        assertThat(rows().keySet()).containsExactlyInAnyOrderElementsOf(names);
    }
}
