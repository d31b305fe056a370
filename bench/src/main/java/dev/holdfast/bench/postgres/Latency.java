package dev.holdfast.bench.postgres;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * How long something took, of many times.
 *
 * @param count how many times
 */
record Latency(long count, double p50Millis, double p99Millis, double maxMillis) {

    private static final long LOWEST_NANOS = 1_000;
    private static final long HIGHEST_NANOS = Duration.ofMinutes(1).toNanos();
    private static final int SIGNIFICANT_DIGITS = 2;

    static Histogram histogram() {
        return new Histogram(LOWEST_NANOS, HIGHEST_NANOS, SIGNIFICANT_DIGITS);
    }

    static void record(Histogram histogram, long nanos) {
        histogram.recordValue(Math.clamp(nanos, LOWEST_NANOS, HIGHEST_NANOS));
    }

    static Latency of(Histogram histogram) {
        return new Latency(
                histogram.getTotalCount(),
                histogram.getValueAtPercentile(50) / 1e6,
                histogram.getValueAtPercentile(99) / 1e6,
                histogram.getMaxValue() / 1e6);
    }

    String line() {
        return "p50 %.2f ms, p99 %.2f ms, max %.1f ms (%,d)".formatted(p50Millis, p99Millis, maxMillis, count);
    }

    Map<String, Object> asMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("count", count);
        map.put("p50Millis", p50Millis);
        map.put("p99Millis", p99Millis);
        map.put("maxMillis", maxMillis);
        return map;
    }
}
