package dev.holdfast.http.durablestreams.subscriptions;

import org.jspecify.annotations.Nullable;

/**
 * Where a subscription's delivery stands: the part of it that is persisted and that fences. A pure state machine; each method returns the
 * state after something happened. Times are of the wall clock in ms, 0 for none.
 *
 * <p>A wake begins with {@link #woken} and ends with {@link #ended} or when its lease lapses. A webhook's wake is <i>due</i> while it has an
 * {@code attemptAt}, and leased from the moment its receiver took it. A pull wake has no lease until a worker claims it. Only one wake is in
 * flight, and its generation is greater than that of every wake before, so whoever holds an older one is told so.
 *
 * @param generation counts the wakes, from 1; 0 before the first
 * @param wakeId the wake in flight, or null if there is none
 * @param holder the worker that claimed it, or null
 * @param leaseUntil when its lease lapses
 * @param failures deliveries that failed in a row
 * @param attemptAt when the next delivery is due
 * @param beginnings how many links had begun when this state was written; what a wake tells lies within them
 */
record WakeState(
        long generation,
        @Nullable String wakeId,
        @Nullable String holder,
        long leaseUntil,
        int failures,
        long attemptAt,
        long beginnings) {

    static final WakeState FIRST = new WakeState(0, null, null, 0, 0, 0, 0);

    /** No wake is in flight. */
    boolean idle() {
        return wakeId == null;
    }

    boolean leased() {
        return leaseUntil > 0;
    }

    /** A new wake begins. */
    WakeState woken(String id, long firstAttemptAt) {
        return new WakeState(generation + 1, id, null, 0, failures, firstAttemptAt, beginnings);
    }

    /** A worker holds it. */
    WakeState claimed(String worker, long until) {
        return new WakeState(generation, wakeId, worker, until, failures, 0, beginnings);
    }

    /** Its worker is alive: it took the webhook, or called back. */
    WakeState kept(long until) {
        return new WakeState(generation, wakeId, holder, until, 0, 0, beginnings);
    }

    /** Its worker is done, or gave it back. */
    WakeState ended() {
        return new WakeState(generation, null, null, 0, 0, 0, beginnings);
    }

    /** Its delivery was refused at once; the same wake is delivered again. */
    WakeState refused(long nextAttemptAt) {
        return new WakeState(generation, wakeId, null, 0, failures + 1, nextAttemptAt, beginnings);
    }

    /** Its delivery got no answer as long as a lease lasts; whoever has it is fenced by the next wake. */
    WakeState unanswered(long nextAttemptAt) {
        return new WakeState(generation, null, null, 0, failures + 1, nextAttemptAt, beginnings);
    }

    /** The same, written when so many links had begun. */
    WakeState knowing(long begun) {
        return new WakeState(generation, wakeId, holder, leaseUntil, failures, attemptAt, begun);
    }

    /** Whether its lease is over. */
    boolean hasLapsed(long now) {
        return leased() && leaseUntil <= now;
    }
}
