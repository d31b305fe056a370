package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

final class MainTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void version_is_the_one_of_the_build() {
        assertThat(execute("--version")).isZero();
        assertThat(out.toString()).matches("holdfast \\d+\\.\\d+\\.\\d+(-SNAPSHOT)?\\R");
    }

    @Test
    void help_shows_how_to_call_it() {
        assertThat(execute("--help")).isZero();
        assertThat(out.toString()).startsWith("Usage: holdfast");
    }

    @Test
    void an_unknown_command_is_refused_with_exit_code_2_and_named() {
        assertThat(execute("no-such-command")).isEqualTo(2);
        assertThat(err.toString()).contains("no-such-command", "Try \"holdfast --help\".");
        assertThat(err.toString().strip().lines()).hasSize(2);
    }

    @Test
    void without_a_command_it_names_them() {
        assertThat(execute()).isEqualTo(2);
        assertThat(err.toString()).contains("serve", "demo", "Try \"holdfast --help\".");
    }

    private int execute(String... arguments) {
        CommandLine commandLine = new CommandLine(new Main());
        commandLine.setOut(new PrintWriter(out, true));
        commandLine.setErr(new PrintWriter(err, true));
        return Main.run(commandLine, new Environment(Map.of()), arguments);
    }
}
