package dev.holdfast.bench.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RunTest {

    private static Run run(String... arguments) {
        List<String> all = List.of(arguments);
        Arguments rest = new Arguments(all);
        Run run = Run.of(all);
        while (rest.hasNext()) {
            String unused = rest.next();
            run = run.with(rest);
        }
        return run;
    }

    @Test
    void without_options_a_run_is_whole_and_writes_no_file() {
        assertThat(run()).isEqualTo(new Run(false, false, Path.of(System.getProperty("java.io.tmpdir")), null));
    }

    @Test
    void its_options_may_stand_in_any_order() {
        Run expected = new Run(true, true, Path.of("disk"), Path.of("out.json"));

        assertThat(run("--out", "out.json", "--quick", "--folder", "disk", "--strict"))
                .isEqualTo(expected);
        assertThat(run("--strict", "--folder", "disk", "--out", "out.json", "--quick"))
                .isEqualTo(expected);
    }

    @Test
    void what_is_none_of_them_is_named() {
        assertThatThrownBy(() -> run("--strict", "--fast"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--fast");
        assertThatThrownBy(() -> run("--folder"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--folder");
    }
}
