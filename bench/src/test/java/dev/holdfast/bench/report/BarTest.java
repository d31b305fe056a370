package dev.holdfast.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class BarTest {

    @Test
    void a_figure_on_the_limit_passes_on_either_side() {
        assertThat(Bar.atLeast("a", 0.8, 0.8, "x").verdict()).isEqualTo(Bar.Verdict.PASS);
        assertThat(Bar.atMost("a", 2, 2, "x").verdict()).isEqualTo(Bar.Verdict.PASS);
    }

    @Test
    void a_figure_on_the_wrong_side_misses() {
        assertThat(Bar.atLeast("a", 0.79, 0.8, "x").verdict()).isEqualTo(Bar.Verdict.MISS);
        assertThat(Bar.atMost("a", 2.01, 2, "x").verdict()).isEqualTo(Bar.Verdict.MISS);
    }

    @Test
    void a_figure_that_was_not_measured_neither_passes_nor_misses() {
        assertThat(Bar.atLeast("a", Double.NaN, 0.8, "x").verdict()).isEqualTo(Bar.Verdict.NOT_MEASURED);
    }

    @Test
    void a_line_says_the_verdict_the_figure_and_the_limit() {
        assertThat(Bar.atLeast("throughput", 0.5, 0.8, "x").line())
                .startsWith("MISS")
                .contains("throughput", "0.50 >= 0.80 x");
    }
}
