package dev.holdfast.bench.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.bench.http.Options.Cell;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class OptionsTest {

    @Test
    void a_full_run_has_every_cell_against_every_server() {
        Options options = Options.parse(List.of());

        assertThat(options.cells()).containsExactly(Cell.values());
        assertThat(options.against()).containsExactly(Contender.values());
        assertThat(options.rounds()).isEqualTo(5);
    }

    @Test
    void quick_is_a_start_that_other_options_change_wherever_they_stand() {
        Options options = Options.parse(
                List.of("--rounds", "3", "--only", "get,post1", "--against", "holdfast,node_file", "--quick"));

        assertThat(options.rounds()).isEqualTo(3);
        assertThat(options.window()).isEqualTo(Duration.ofSeconds(1));
        assertThat(options.cells()).containsExactly(Cell.POST1, Cell.GET);
        assertThat(options.against()).containsExactly(Contender.HOLDFAST, Contender.NODE_FILE);
    }

    @Test
    void what_cannot_be_understood_is_named() {
        assertThatThrownBy(() -> Options.parse(List.of("--only", "put"))).hasMessageContaining("put");
        assertThatThrownBy(() -> Options.parse(List.of("--fast"))).hasMessageContaining("--fast");
    }
}
