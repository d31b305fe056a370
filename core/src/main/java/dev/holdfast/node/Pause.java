package dev.holdfast.node;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Pauses between tries, each twice as long as the one before, up to a quarter of a second. */
final class Pause {

    private static final Duration FIRST = Duration.ofMillis(5);
    private static final Duration LONGEST = Duration.ofMillis(250);

    private Duration next = FIRST;

    void next() {
        LockSupport.parkNanos(this, next.toNanos());
        Duration longer = next.multipliedBy(2);
        next = longer.compareTo(LONGEST) > 0 ? LONGEST : longer;
    }
}
