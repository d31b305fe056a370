package dev.holdfast.bench.chat;

import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** Latencies of many threads, 1 % wide. Thread-safe. */
final class Latencies {

    private static final long MAX_NANOS = 60_000_000_000L;
    private static final int DIGITS = 2;

    private final Histogram nanos = new ConcurrentHistogram(MAX_NANOS, DIGITS);

    void add(long since) {
        nanos.recordValue(Math.clamp(System.nanoTime() - since, 0, MAX_NANOS));
    }

    double millis(double percentile) {
        return nanos.getTotalCount() == 0 ? Double.NaN : nanos.getValueAtPercentile(percentile) / 1e6;
    }
}
