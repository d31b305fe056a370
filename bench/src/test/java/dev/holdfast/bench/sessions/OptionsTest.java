package dev.holdfast.bench.sessions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.bench.sessions.Options.Cell;
import java.util.List;
import org.junit.jupiter.api.Test;

final class OptionsTest {

    @Test
    void a_full_run_has_every_cell_over_every_transport_against_every_server() {
        Options options = Options.parse(List.of());

        assertThat(options.cells()).containsExactly(Cell.values());
        assertThat(options.transports()).containsExactly(Transport.values());
        assertThat(options.against()).containsExactly(Contender.values());
        assertThat(options.connections()).isEqualTo(10_000);
        assertThat(options.sessions()).isEqualTo(1_000);
    }

    @Test
    void quick_is_a_start_that_other_options_change_wherever_they_stand() {
        Options options = Options.parse(List.of("--connections", "500", "--only", "storm,idle", "--quick"));

        assertThat(options.connections()).isEqualTo(500);
        assertThat(options.storms()).isEqualTo(1);
        assertThat(options.cells()).containsExactly(Cell.IDLE, Cell.STORM);
    }

    @Test
    void what_cannot_be_understood_is_named() {
        assertThatThrownBy(() -> Options.parse(List.of("--transport", "pigeon")))
                .hasMessageContaining("pigeon");
        assertThatThrownBy(() -> Options.parse(List.of("--connections", "15"))).hasMessageContaining("15");
        assertThatThrownBy(() -> Options.parse(List.of("--fast"))).hasMessageContaining("--fast");
    }
}
