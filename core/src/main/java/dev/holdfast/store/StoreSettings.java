package dev.holdfast.store;

import java.time.Duration;

/**
 * How an embedded store behaves.
 *
 * @param readThreads platform threads for reads
 * @param maxStoreBytes the store refuses to grow beyond this size with {@code StoreFull}; {@code Long.MAX_VALUE} for no limit
 * @param busyTimeout how long to wait for another connection of this application to release the store's lock
 * @param time clock and randomness
 */
public record StoreSettings(int readThreads, long maxStoreBytes, Duration busyTimeout, Time time) {

    public static StoreSettings defaults() {
        return new StoreSettings(2, Long.MAX_VALUE, Duration.ofSeconds(10), Time.system());
    }

    public StoreSettings withTime(Time clock) {
        return new StoreSettings(readThreads, maxStoreBytes, busyTimeout, clock);
    }
}
