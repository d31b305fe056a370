package dev.holdfast.http.durablestreams.subscriptions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testkit.SimTime;
import java.util.LongSummaryStatistics;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

final class RetryWaitTest {

    @Test
    void waits_double_from_one_second_to_sixty_and_spread_by_a_fifth() {
        SimTime time = new SimTime();
        for (int failures = 1; failures < 100; failures++) {
            int round = failures;
            long base = Math.min(60_000, 1000L << Math.min(failures - 1, 10));
            LongSummaryStatistics waits = LongStream.range(0, 200)
                    .map(i -> RetryWait.after(round, time))
                    .summaryStatistics();

            assertThat(waits.getMin()).isGreaterThanOrEqualTo(Math.max(1000, base * 8 / 10));
            assertThat(waits.getMax()).isLessThanOrEqualTo(Math.min(60_000, base * 12 / 10));
            assertThat(waits.getMax() - waits.getMin()).as("spread").isGreaterThan(base / 10);
        }
    }
}
