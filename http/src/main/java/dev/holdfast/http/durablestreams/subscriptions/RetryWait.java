package dev.holdfast.http.durablestreams.subscriptions;

import dev.holdfast.store.Time;

/** How long to wait before something that failed is tried again: from 1 to 60 seconds, doubling, moved at random by up to a fifth. */
final class RetryWait {

    private static final long MIN_MILLIS = SubscriptionLimits.MIN_RETRY.toMillis();
    private static final long MAX_MILLIS = SubscriptionLimits.MAX_RETRY.toMillis();

    /** Doublings after which every wait is the longest one. */
    private static final int MAX_DOUBLINGS = 6;

    private RetryWait() {}

    /**
     * @param failures how often it failed in a row, from 1
     * @return ms
     */
    static long after(int failures, Time time) {
        long wait = Math.min(MIN_MILLIS << Math.min(failures - 1, MAX_DOUBLINGS), MAX_MILLIS);
        long reach = wait * SubscriptionLimits.RETRY_JITTER_PERCENT / 100;
        long jitter = Math.floorMod(time.randomLong(), 2 * reach + 1) - reach;
        return Math.clamp(wait + jitter, MIN_MILLIS, MAX_MILLIS);
    }
}
