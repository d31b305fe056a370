package dev.holdfast.verification;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Keeps the tests of all modules named in {@code docs/scenarios.md}: those whose names end in {@code _S} and the scenario's number.
 * {@code -Dholdfast.update=true} writes the page anew.
 */
final class ScenarioTableTest {

    private static final Path PAGE = Path.of("..", "docs", "scenarios.md");
    private static final Path MODULES = Path.of("..");
    private static final Path TESTS = Path.of("src", "test", "java");
    private static final Pattern TEST = Pattern.compile("void\\s+(\\w+_S(\\d+))\\(");
    private static final Pattern ROW = Pattern.compile("^\\| (\\d+) \\| ([^|]+) \\|");

    private static Map<Integer, Set<String>> tests() throws IOException {
        Map<Integer, Set<String>> tests = new TreeMap<>();
        try (Stream<Path> modules = Files.list(MODULES)) {
            for (Path module : modules.filter(path -> Files.isDirectory(path.resolve(TESTS)))
                    .toList()) {
                find(module.resolve(TESTS), tests);
            }
        }
        return tests;
    }

    private static void find(Path folder, Map<Integer, Set<String>> tests) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith("Test.java")).toList()) {
                String type = file.getFileName().toString().replace(".java", "");
                List<MatchResult> found =
                        TEST.matcher(Files.readString(file)).results().toList();
                for (MatchResult test : found) {
                    tests.computeIfAbsent(Integer.valueOf(test.group(2)), number -> new TreeSet<>())
                            .add("`" + type + "." + test.group(1) + "`");
                }
            }
        }
    }

    @Test
    void the_page_of_scenarios_names_the_tests_that_are_there() throws IOException {
        String page = Files.readString(PAGE);
        Map<Integer, Set<String>> tests = tests();
        StringBuilder expected = new StringBuilder();
        for (String line : page.lines().toList()) {
            Matcher row = ROW.matcher(line);
            Set<String> named = row.find() ? tests.remove(Integer.valueOf(row.group(1))) : null;
            expected.append(
                            row.hasMatch()
                                    ? row.group() + " " + (named == null ? "-" : String.join("<br>", named)) + " |"
                                    : line)
                    .append('\n');
        }
        assertThat(tests).as("scenarios without a row in %s", PAGE).isEmpty();
        if (Boolean.getBoolean("holdfast.update")) {
            Files.write(PAGE, expected.toString().getBytes(StandardCharsets.UTF_8));
        } else {
            assertThat(page).as("run this test with -Dholdfast.update=true").isEqualTo(expected.toString());
        }
    }
}
