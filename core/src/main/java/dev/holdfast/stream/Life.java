package dev.holdfast.stream;

import dev.holdfast.store.StreamRow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * When a stream was last used, for a sliding expiry. Any thread may touch it; a lost update costs a moment of life only.
 *
 * <p>The deadline that is written lies later than the true one, so that a restart never shortens a life; the true one is known here alone.
 */
final class Life {

    private volatile long touchedAt;

    /** When the writer on another node was told of its use last, wall clock, ms. */
    private final AtomicLong told = new AtomicLong();

    /** Whether it waits in the queue of streams whose life ends or goes on. */
    private final AtomicBoolean noted = new AtomicBoolean();

    /** A stream out of its row: it may have been used until its written deadline allows. */
    Life(StreamRow row) {
        long used = Math.max(row.updatedAt(), row.lastAppendAt());
        this.touchedAt = row.ttlMillis() > 0 ? Math.max(used, row.expiresAt() - row.ttlMillis()) : used;
    }

    /** The stream was created just now; the deadline in its row is later, for the sake of a restart. */
    void begin(long now) {
        touchedAt = now;
    }

    /** Notes that someone used the stream. */
    @SuppressWarnings("NonAtomicVolatileUpdate")
    void touch(long now) {
        if (now > touchedAt) {
            touchedAt = now;
        }
    }

    long touchedAt() {
        return touchedAt;
    }

    /**
     * On a node that follows the shard: whether the writer is to be told that the stream is in use, which is once in a tenth of its life.
     *
     * @param ttlMillis its sliding life
     */
    boolean tell(long now, long ttlMillis) {
        long last = told.get();
        return ttlMillis > 0 && now - last >= Math.max(1, ttlMillis / 10) && told.compareAndSet(last, now);
    }

    /** When it ends if nobody touches it, wall clock, ms; 0 for never. */
    long deadline(StreamRow row) {
        return row.ttlMillis() > 0 ? touchedAt + row.ttlMillis() : row.expiresAt();
    }

    /** Whether it was used since its deadline was written, so that it would end too early if it were loaded from its row. */
    boolean outlives(StreamRow row) {
        return row.ttlMillis() > 0 && deadline(row) > row.expiresAt();
    }

    boolean over(StreamRow row, long now) {
        long deadline = deadline(row);
        return deadline > 0 && now >= deadline;
    }

    /** Notes whether it waits for the sweep of what expires. Returns whether that is new. */
    boolean note(boolean waits) {
        return noted.compareAndSet(!waits, waits);
    }
}
