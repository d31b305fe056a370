package dev.holdfast.client;

import java.time.Duration;
import java.util.random.RandomGenerator;

/** Pauses between tries: they double, within bounds, and are jittered so that clients that were cut together do not come back together. */
record Pauses(Duration shortest, Duration longest) {

    Pauses {
        if (shortest.isNegative() || shortest.isZero() || longest.compareTo(shortest) < 0) {
            throw new IllegalArgumentException(
                    "Pauses are longer than nothing, and the longest is not below the shortest; got %s and %s."
                            .formatted(shortest, longest));
        }
    }

    /** The pause before try {@code n}, counted from 0: between half and all of twice the shortest doubled n times. */
    Duration jittered(int n, RandomGenerator random) {
        long most = most(2, n).toNanos();
        long least = Math.max(shortest.toNanos(), most / 2);
        return Duration.ofNanos(least + (most > least ? random.nextLong(most - least + 1) : 0));
    }

    /** The pause before repetition {@code n}, counted from 0, without jitter: the shortest doubled n times. */
    Duration plain(int n) {
        return most(1, n);
    }

    private Duration most(int factor, int n) {
        long nanos = shortest.toNanos() * factor;
        for (int i = 0; i < n && nanos < longest.toNanos(); i++) {
            nanos *= 2;
        }
        return Duration.ofNanos(Math.min(nanos, longest.toNanos()));
    }
}
