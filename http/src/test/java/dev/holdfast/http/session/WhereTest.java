package dev.holdfast.http.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

/** Which tests of the session transport are run against a forked server: all but those that say why not, which the page of scenarios lists. */
@InProcess("It looks at the tests themselves")
final class WhereTest {

    private static final Path SOURCES = Path.of("src", "test", "java", "dev", "holdfast", "http", "session");
    private static final Path PAGE = Path.of("..", "docs", "session-scenarios.md");
    private static final String ENDING = "Test.java";

    private static List<Class<?>> classes() throws IOException, ClassNotFoundException {
        String suffix = ".java";
        try (Stream<Path> files = Files.list(SOURCES)) {
            List<String> names = files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(ENDING))
                    .sorted()
                    .toList();
            Class<?>[] classes = new Class<?>[names.size()];
            for (int i = 0; i < classes.length; i++) {
                String name = names.get(i);
                classes[i] = Class.forName(
                        WhereTest.class.getPackageName() + "." + name.substring(0, name.length() - suffix.length()));
            }
            return List.of(classes);
        }
    }

    private static List<Method> tests(Class<?> type) {
        return Stream.of(type.getDeclaredMethods())
                .filter(method ->
                        method.isAnnotationPresent(Test.class) || method.isAnnotationPresent(ParameterizedTest.class))
                .toList();
    }

    private static boolean isGivenAPlace(Class<?>[] parameters) {
        return Arrays.stream(parameters).anyMatch(type -> type == Way.class || type == Where.class);
    }

    private static boolean isGivenAPlace(Class<?> type) {
        return isGivenAPlace(type.getDeclaredConstructors()[0].getParameterTypes());
    }

    @Test
    void a_test_is_run_against_servers_here_and_elsewhere_or_says_why_it_is_not() throws Exception {
        for (Class<?> type : classes()) {
            for (Method test : tests(type)) {
                boolean everywhere = isGivenAPlace(type) || isGivenAPlace(test.getParameterTypes());
                boolean here = type.isAnnotationPresent(InProcess.class) || test.isAnnotationPresent(InProcess.class);
                assertThat(everywhere)
                        .as("%s.%s is given a Way or a Where, or is InProcess", type.getSimpleName(), test.getName())
                        .isNotEqualTo(here);
            }
        }
    }

    @Test
    void the_page_of_scenarios_lists_those_that_are_not() throws Exception {
        List<String> rows = classes().stream()
                .flatMap(type -> Stream.concat(Stream.of(type), tests(type).stream()))
                .filter(each -> ((AnnotatedElement) each).isAnnotationPresent(InProcess.class))
                .map(WhereTest::row)
                .toList();
        List<String> listed = Files.readAllLines(PAGE).stream()
                .dropWhile(line -> !line.equals("## In one process only"))
                .filter(line -> line.startsWith("| `"))
                .toList();
        assertThat(listed).isEqualTo(rows);
    }

    private static String row(AnnotatedElement test) {
        String name = test instanceof Method method
                ? method.getDeclaringClass().getSimpleName() + "." + method.getName()
                : ((Class<?>) test).getSimpleName();
        return "| `%s` | %s |"
                .formatted(name, test.getAnnotation(InProcess.class).value());
    }
}
