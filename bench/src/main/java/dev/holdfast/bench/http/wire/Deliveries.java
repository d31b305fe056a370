package dev.holdfast.bench.http.wire;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/**
 * What one subscriber got of a sequence of events: each carries its number and the time at which it was due, as a mark that survives JSON and
 * server-sent events. One thread.
 */
final class Deliveries implements ResponseParser.Body {

    private static final char BEGIN = '@';
    private static final int TIME_DIGITS = 19;
    private static final int NUMBER_DIGITS = 8;

    private final Histogram latencies;
    private int at;
    private long time;
    private long number;
    private long expected;
    private long disordered;
    private boolean begun;

    /**
     * @param latencies shared by all subscribers of the thread
     */
    Deliveries(Histogram latencies) {
        this.latencies = latencies;
    }

    /** An event, as a JSON string. */
    static byte[] event(long number, long dueNanos) {
        return String.format(Locale.ROOT, "\"%c%019d%08d\"", BEGIN, dueNanos, number)
                .getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public void bytes(byte[] in, int from, int to) {
        begun = true;
        for (int i = from; i < to; i++) {
            byte b = in[i];
            if (at == 0) {
                if (b == BEGIN) {
                    at = 1;
                    time = 0;
                    number = 0;
                }
            } else if (at <= TIME_DIGITS) {
                time = time * 10 + (b - '0');
                at++;
            } else {
                number = number * 10 + (b - '0');
                if (++at > TIME_DIGITS + NUMBER_DIGITS) {
                    at = 0;
                    delivered();
                }
            }
        }
    }

    private void delivered() {
        if (number != expected) {
            disordered++;
        }
        expected = number + 1;
        latencies.recordValue(Math.max(0, Math.min(System.nanoTime() - time, latencies.getHighestTrackableValue())));
    }

    /** Whether any content has come. */
    boolean begun() {
        return begun;
    }

    /** How many events have come, if none was left out. */
    long count() {
        return expected;
    }

    /** How often another event came than the next. */
    long disordered() {
        return disordered;
    }
}
