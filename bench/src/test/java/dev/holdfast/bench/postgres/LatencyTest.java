package dev.holdfast.bench.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

final class LatencyTest {

    @Test
    void percentiles_are_within_a_percent() {
        Histogram histogram = Latency.histogram();
        for (int i = 1; i <= 1000; i++) {
            Latency.record(histogram, TimeUnit.MILLISECONDS.toNanos(i));
        }

        Latency latency = Latency.of(histogram);

        assertThat(latency.count()).isEqualTo(1000);
        assertThat(latency.p50Millis()).isEqualTo(500, within(5.0));
        assertThat(latency.p99Millis()).isEqualTo(990, within(10.0));
    }

    @Test
    void what_lies_beyond_the_scale_counts_at_its_end() {
        Histogram histogram = Latency.histogram();
        Latency.record(histogram, -5);
        Latency.record(histogram, TimeUnit.HOURS.toNanos(1));

        assertThat(Latency.of(histogram).count()).isEqualTo(2);
        assertThat(Latency.of(histogram).maxMillis()).isEqualTo(60_000, within(600.0));
    }
}
