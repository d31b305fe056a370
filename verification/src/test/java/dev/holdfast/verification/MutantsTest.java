package dev.holdfast.verification;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** That each planted defect still fits the code; {@code verification/mutants.sh} shows that it is caught. */
final class MutantsTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    static List<Path> mutants() throws IOException {
        try (Stream<Path> files = Files.list(ROOT.resolve("verification/mutants"))) {
            return files.filter(file -> file.toString().endsWith(".patch"))
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("mutants")
    void a_mutant_says_what_it_breaks_and_fits_the_code_at_one_place(Path mutant) throws IOException {
        List<String> lines = Files.readAllLines(mutant);
        assertThat(lines).anyMatch(line -> line.startsWith("Breaks: "));
        assertThat(lines).anyMatch(line -> line.matches("Suite: \\S+ \\S+"));
        String code = "";
        List<String> before = new ArrayList<>();
        int hunks = 0;
        for (String line : lines) {
            if (line.startsWith("--- a/") || line.startsWith("diff ") || line.startsWith("@@ ")) {
                hunks += assertFits(code, before);
            }
            if (line.startsWith("--- a/")) {
                code = "\n" + Files.readString(ROOT.resolve(line.substring("--- a/".length())));
            } else if (!code.isEmpty() && (line.startsWith(" ") || (line.startsWith("-") && !line.startsWith("---")))) {
                before.add(line.substring(1));
            }
        }
        hunks += assertFits(code, before);
        assertThat(hunks).isPositive();
    }

    private static int assertFits(String code, List<String> before) {
        if (before.isEmpty()) {
            return 0;
        }
        String wanted = "\n" + String.join("\n", before) + "\n";
        int at = code.indexOf(wanted);
        assertThat(at).as("the code has these lines:%s", wanted).isNotNegative();
        assertThat(code.indexOf(wanted, at + 1))
                .as("a second place with%s", wanted)
                .isNegative();
        before.clear();
        return 1;
    }
}
