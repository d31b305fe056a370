package dev.holdfast.bench.chat;

/** Finds the stamps of {@link Deltas} in what one reader gets, in whatever the chunks are wrapped. One thread. */
final class Arrivals {

    private final Latencies latencies;
    private int digits = -1;
    private long stamp;
    private int count;

    Arrivals(Latencies latencies) {
        this.latencies = latencies;
    }

    void bytes(byte[] in, int from, int to) {
        for (int i = from; i < to; i++) {
            if (in[i] == Deltas.MARK) {
                digits = 0;
                stamp = 0;
            } else if (digits >= 0) {
                stamp = stamp * 10 + (in[i] - '0');
                if (++digits == Deltas.DIGITS) {
                    digits = -1;
                    count++;
                    latencies.add(stamp);
                }
            }
        }
    }

    /** How many have arrived. */
    int count() {
        return count;
    }
}
