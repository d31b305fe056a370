package dev.holdfast.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExamplesTest {

    @TempDir
    Path folder;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);

    @Test
    void five_lines_print_what_they_stored_and_more_of_it_when_run_again() {
        FiveLines.run(folder, out);
        assertThat(bytes.toString(StandardCharsets.UTF_8)).isEqualTo("Hello, again.\n");

        FiveLines.run(folder, out);
        assertThat(bytes.toString(StandardCharsets.UTF_8)).isEqualTo("Hello, again.\nHello, again.\nHello, again.\n");
    }

    @Test
    void a_turn_ends_together_with_the_applications_own_row() throws Exception {
        OwnTransaction.run(folder, out);

        assertThat(bytes.toString(StandardCharsets.UTF_8)).isEqualTo("COMPLETED: Hello, you." + System.lineSeparator());
    }
}
