package dev.holdfast.bench.sessions;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class RoundTest {

    private final Round round = new Round(5, 1_000, 100, 3, 10);

    @Test
    void sessions_are_due_one_after_the_other() {
        assertThat(round.dueAt(0, 0)).isEqualTo(1_000);
        assertThat(round.dueAt(9, 0)).isEqualTo(1_090);
        assertThat(round.dueAt(9, 2)).isEqualTo(1_290);
    }

    @Test
    void what_is_due_by_a_time_counts_from_the_instant_of_its_chunk_and_ends_with_the_last() {
        assertThat(round.dueBy(1, 1_009)).isEqualTo(5);
        assertThat(round.dueBy(1, 1_010)).isEqualTo(6);
        assertThat(round.dueBy(1, 1_109)).isEqualTo(6);
        assertThat(round.dueBy(1, 1_110)).isEqualTo(7);
        assertThat(round.dueBy(1, 9_999)).isEqualTo(8).isEqualTo(round.end());
    }

    @Test
    void a_round_is_the_same_after_it_has_travelled_as_text() {
        assertThat(Round.parse(round.text() + "\n")).isEqualTo(round);
    }
}
