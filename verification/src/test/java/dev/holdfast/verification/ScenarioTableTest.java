package dev.holdfast.verification;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Keeps the tests of all modules named in the tables of the documentation. A test belongs to a row by its name, which ends in {@code _S}, or in one or more
 * of {@code _M}, and the scenario's number, or by tags with the row's label: {@code @Tag("S61")}, {@code @Tag("row-7")}, {@code @Tag("policy-merge")};
 * tests for Node have theirs in a comment, or in brackets in their name. Every row has a test, or says that it does not apply. {@code -Dholdfast.update=true} writes the pages anew.
 */
final class ScenarioTableTest {

    private static final List<Path> PAGES = List.of(
            Path.of("..", "docs", "scenarios.md"),
            Path.of("..", "docs", "wires", "ai-sdk.md"),
            Path.of("..", "docs", "session-scenarios.md"));

    private static final Path MODULES = Path.of("..");
    private static final List<Path> SOURCES = List.of(
            Path.of("src", "test", "java"),
            Path.of("chat"),
            Path.of("sessions"),
            Path.of("test"),
            Path.of("test-server"));

    /** A tag, a type, a test in Java, or one for Node, whichever comes next. */
    private static final Pattern TOKEN = Pattern.compile(
            "@Tag\\(\"(?<tag>[^\"]+)\"\\)"
                    + "|^(?:[a-z]+ )*(?<type>class|interface|enum|record) "
                    + "|^    void (?<java>\\w+)\\("
                    + "|^ *(?:test|scene)(?:\\.each\\(.*\\))?\\((?:major, )?[`'](?:\\w+@[^:]*: )?(?<node>[^`]+?)[`'],",
            Pattern.MULTILINE);

    private static final Pattern NUMBERED = Pattern.compile("_(S\\d+)$|_(M\\d+)(?=$|_M\\d)|\\[(M\\d+)]");
    private static final Pattern ROW =
            Pattern.compile("^\\| (?<label>M?\\d+|(?:row|policy|recovery|wire) \\w+) \\| (?<text>[^|]+) \\|");
    private static final Pattern UNTESTED = Pattern.compile("Does not apply|Not offered");

    /** The tests by the tags of their rows. */
    private static Map<String, Set<String>> tests() throws IOException {
        Map<String, Set<String>> tests = new TreeMap<>();
        try (Stream<Path> modules = Files.list(MODULES)) {
            for (Path module : modules.toList()) {
                for (Path sources : SOURCES) {
                    if (Files.isDirectory(module.resolve(sources))) {
                        find(module.resolve(sources), tests);
                    }
                }
            }
        }
        return tests;
    }

    private static void find(Path folder, Map<String, Set<String>> tests) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(ScenarioTableTest::holdsTests).toList()) {
                find(file.getFileName().toString(), Files.readString(file), tests);
            }
        }
    }

    private static boolean holdsTests(Path file) {
        String name = file.getFileName().toString();
        return name.endsWith("Test.java")
                || ((name.endsWith(".test.mjs") || name.endsWith(".test.ts"))
                        && !file.toString().contains("node_modules"));
    }

    private static void find(String file, String source, Map<String, Set<String>> tests) {
        List<String> tags = new ArrayList<>();
        Matcher token = TOKEN.matcher(source);
        while (token.find()) {
            String tag = token.group("tag");
            String java = token.group("java");
            String node = token.group("node");
            if (tag != null) {
                tags.add(tag);
                continue;
            }
            if (token.group("type") != null) {
                tags.clear(); // what came before is its own
                continue;
            }
            String name = java == null ? file + ": " + node : file.replace(".java", "") + "." + java;
            Matcher numbered = NUMBERED.matcher(java == null ? node : java);
            while (numbered.find()) {
                tags.add(Stream.of(1, 2, 3)
                        .map(numbered::group)
                        .filter(Objects::nonNull)
                        .findFirst()
                        .orElseThrow());
            }
            tags.forEach(
                    each -> tests.computeIfAbsent(each, row -> new TreeSet<>()).add("`" + name + "`"));
            tags.clear();
        }
    }

    private static String tag(String label) {
        return label.matches("M?\\d+")
                ? (label.startsWith("M") ? label : "S" + label)
                : label.toLowerCase(Locale.ROOT).replace(' ', '-');
    }

    /** The page with the tests that are there, which are taken out of {@code left}. */
    private static String withTests(String page, Map<String, Set<String>> left) {
        StringBuilder whole = new StringBuilder();
        for (String line : page.lines().toList()) {
            Matcher row = ROW.matcher(line);
            if (row.find()) {
                Set<String> named = left.remove(tag(row.group("label")));
                assertThat(named == null)
                        .as("a row has tests, or says why not: %s", row.group())
                        .isEqualTo(UNTESTED.matcher(row.group("text")).find());
                whole.append(row.group())
                        .append(' ')
                        .append(named == null ? "-" : String.join("<br>", named))
                        .append(" |");
            } else {
                whole.append(line);
            }
            whole.append('\n');
        }
        return whole.toString();
    }

    @Test
    void the_tables_name_the_tests_that_are_there_and_every_row_has_one() throws IOException {
        Map<String, Set<String>> left = tests();
        for (Path page : PAGES) {
            String committed = Files.readString(page);
            String expected = withTests(committed, left);
            if (Boolean.getBoolean("holdfast.update")) {
                Files.write(page, expected.getBytes(StandardCharsets.UTF_8));
            } else {
                assertThat(committed)
                        .as("run this test with -Dholdfast.update=true")
                        .isEqualTo(expected);
            }
        }
        assertThat(left).as("tests of rows that no table has").isEmpty();
    }
}
