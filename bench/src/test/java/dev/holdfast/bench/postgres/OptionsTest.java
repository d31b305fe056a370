package dev.holdfast.bench.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.bench.postgres.Options.Cell;
import java.util.List;
import org.junit.jupiter.api.Test;

final class OptionsTest {

    @Test
    void a_full_run_has_every_cell_on_a_server_of_its_own() {
        Options options = Options.parse(List.of());

        assertThat(options.cells()).containsExactly(Cell.values());
        assertThat(options.database()).isNull();
        assertThat(options.turns()).isEqualTo(100_000);
        assertThat(options.asMap()).containsEntry("ownServer", true);
    }

    @Test
    void quick_is_a_start_that_other_options_change_wherever_they_stand() {
        Options options = Options.parse(List.of("--turns", "500", "--only", "wal,appends", "--quick"));

        assertThat(options.turns()).isEqualTo(500);
        assertThat(options.rounds()).isEqualTo(1);
        assertThat(options.cells()).containsExactly(Cell.APPENDS, Cell.WAL);
    }

    @Test
    void the_password_in_a_url_is_not_reported() {
        Options options = Options.parse(List.of("--database", "jdbc:postgresql://db/app?user=u&password=secret"));

        assertThat(options.asMap().toString()).doesNotContain("secret");
        assertThat(options.asMap()).containsEntry("ownServer", false);
    }

    @Test
    void what_cannot_be_understood_is_named() {
        assertThatThrownBy(() -> Options.parse(List.of("--database", "db.example")))
                .hasMessageContaining("jdbc:postgresql:")
                .hasMessageContaining("db.example");
        assertThatThrownBy(() -> Options.parse(List.of("--only", "pigeons"))).hasMessageContaining("pigeons");
        assertThatThrownBy(() -> Options.parse(List.of("--fast"))).hasMessageContaining("--fast");
    }
}
