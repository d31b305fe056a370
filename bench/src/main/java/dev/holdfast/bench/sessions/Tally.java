package dev.holdfast.bench.sessions;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/** What all watchers of a crowd got together since the last {@link #reset}. One thread. */
final class Tally {

    private static final long MAX_NANOS = Duration.ofMinutes(2).toNanos();

    private final Histogram delays = new Histogram(MAX_NANOS, 2);
    private final Map<String, Integer> faults = new TreeMap<>();
    private long lost;
    private long repeated;
    private long misfits;

    void reset() {
        delays.reset();
        faults.clear();
        lost = 0;
        repeated = 0;
        misfits = 0;
    }

    /** A chunk has come that was expected. */
    void delivered(long delayNanos) {
        delays.recordValue(Math.clamp(delayNanos, 0, MAX_NANOS));
    }

    /** So many chunks were left out. */
    void lost(long chunks) {
        lost += chunks;
    }

    /** A chunk has come that was there already. */
    void repeated() {
        repeated++;
    }

    /** A frame does not continue what its watcher has. */
    void misfit() {
        misfits++;
    }

    /** Something was refused, cut or broken. */
    void fault(String what) {
        faults.merge(what, 1, Integer::sum);
    }

    long deliveries() {
        return delays.getTotalCount();
    }

    double millis(double percentile) {
        return deliveries() == 0 ? Double.NaN : delays.getValueAtPercentile(percentile) / 1e6;
    }

    long lost() {
        return lost;
    }

    long repeatedOrMisfit() {
        return repeated + misfits;
    }

    /** How many faults. */
    int faults() {
        return faults.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** The faults, each with how often it was met. */
    Map<String, Integer> faultsByKind() {
        return Map.copyOf(faults);
    }
}
