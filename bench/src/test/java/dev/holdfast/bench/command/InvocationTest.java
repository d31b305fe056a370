package dev.holdfast.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class InvocationTest {

    private static final String USAGE = "Usage: some benchmark\n";

    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final List<Integer> measured = new ArrayList<>();

    private int run(String... arguments) throws Exception {
        return Invocation.run(
                List.of(arguments),
                USAGE,
                all -> new Arguments(all.subList(1, all.size())).number(),
                rounds -> {
                    measured.add(rounds);
                    return 1;
                },
                new PrintStream(written, true, StandardCharsets.UTF_8));
    }

    private String said() {
        return written.toString(StandardCharsets.UTF_8);
    }

    @Test
    void the_options_are_measured_with_and_the_exit_code_is_that_of_the_benchmark() throws Exception {
        assertThat(run("--rounds", "3")).isEqualTo(1);
        assertThat(measured).containsExactly(3);
        assertThat(said()).isEmpty();
    }

    @Test
    void help_is_printed_and_nothing_measured() throws Exception {
        assertThat(run("--rounds", "3", "-h")).isZero();
        assertThat(run("--help")).isZero();
        assertThat(said()).isEqualTo(USAGE + USAGE);
        assertThat(measured).isEmpty();
    }

    @Test
    void what_cannot_be_understood_is_said_with_the_usage_and_exit_code_2() throws Exception {
        assertThat(run("--rounds", "some")).isEqualTo(2);
        assertThat(said()).contains("positive number, not \"some\"").endsWith(USAGE);
        assertThat(measured).isEmpty();
    }
}
