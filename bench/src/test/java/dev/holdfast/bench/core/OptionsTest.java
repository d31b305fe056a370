package dev.holdfast.bench.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.bench.core.Options.Part;
import java.util.List;
import org.junit.jupiter.api.Test;

final class OptionsTest {

    @Test
    void a_full_run_has_every_cell_five_times() {
        Options options = Options.parse(List.of());

        assertThat(options.rounds()).isEqualTo(5);
        assertThat(options.producers()).containsExactly(1, 16, 64, 512);
        assertThat(options.streams()).containsExactly(1, 100, 10_000);
        assertThat(options.parts()).containsExactly(Part.values());
    }

    @Test
    void quick_is_a_start_that_other_options_change_wherever_they_stand() {
        Options options = Options.parse(List.of("--rounds", "3", "--only", "turn,append", "--quick"));

        assertThat(options.rounds()).isEqualTo(3);
        assertThat(options.streams()).containsExactly(100);
        assertThat(options.parts()).containsExactly(Part.APPEND, Part.TURN);
    }

    @Test
    void what_cannot_be_understood_is_named() {
        assertThatThrownBy(() -> Options.parse(List.of("--fast"))).hasMessageContaining("--fast");
        assertThatThrownBy(() -> Options.parse(List.of("--rounds"))).hasMessageContaining("--rounds");
        assertThatThrownBy(() -> Options.parse(List.of("--rounds", "none"))).hasMessageContaining("none");
        assertThatThrownBy(() -> Options.parse(List.of("--only", "reads"))).hasMessageContaining("reads");
    }
}
