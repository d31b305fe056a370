package dev.holdfast.bench.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.bench.load.Sample;
import dev.holdfast.bench.report.Bar;
import dev.holdfast.bench.report.Median;
import org.junit.jupiter.api.Test;

final class CellTest {

    private static Sample sample(long appends, double p99, long written) {
        return new Sample(appends, 1_000_000_000L, 1, p99, p99, appends * 100, written, 0);
    }

    @Test
    void a_ratio_is_that_of_the_medians_over_the_rounds() {
        Cell cell = new Cell(64, 100);
        for (long appends : new long[] {10, 80, 1_000}) {
            cell.add(Contender.HOLDFAST, sample(appends, 1, 1));
        }
        for (long appends : new long[] {1, 100, 9_000}) {
            cell.add(Contender.FLOOR_ROW_PER_COMMIT, sample(appends, 1, 1));
        }

        assertThat(cell.ratio(Contender.HOLDFAST, Contender.FLOOR_ROW_PER_COMMIT, Sample::perSecond))
                .isEqualTo(0.8);
    }

    @Test
    void at_64_producers_80_percent_of_the_floor_are_enough_and_at_512_70() {
        assertThat(throughputBar(64, 80)).isEqualTo(Bar.Verdict.PASS);
        assertThat(throughputBar(64, 79)).isEqualTo(Bar.Verdict.MISS);
        assertThat(throughputBar(512, 70)).isEqualTo(Bar.Verdict.PASS);
        assertThat(throughputBar(512, 69)).isEqualTo(Bar.Verdict.MISS);
    }

    private static Bar.Verdict throughputBar(int producers, long ofHundred) {
        Cell cell = new Cell(producers, 100);
        cell.add(Contender.HOLDFAST, sample(ofHundred, 1, 1));
        cell.add(Contender.FLOOR_ROW_PER_COMMIT, sample(100, 1, 1));
        return cell.bars().getFirst().verdict();
    }

    @Test
    void bytes_are_compared_for_each_byte_of_payload() {
        Cell cell = new Cell(64, 100);
        cell.add(Contender.HOLDFAST, sample(100, 1, 2_600));
        cell.add(Contender.FLOOR_ROW_PER_COMMIT, sample(200, 1, 4_000));

        assertThat(cell.bars())
                .filteredOn(bar -> bar.name().contains("no seals: bytes"))
                .allSatisfy(bar -> assertThat(bar.measured()).isEqualTo(1.3))
                .isNotEmpty();
    }

    @Test
    void nothing_is_expected_of_other_numbers_of_producers() {
        assertThat(new Cell(16, 100).bars()).isEmpty();
    }

    @Test
    void a_median_of_two_lies_between_them() {
        assertThat(Median.of(1, 3)).isEqualTo(2);
        assertThat(Median.of()).isNaN();
    }
}
