package dev.holdfast.turn;

import dev.holdfast.store.Time;
import dev.holdfast.store.Timers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Notices that a run emits nothing any more. A chunk only notes the time; one timer per run looks, when the timeout could have passed, whether
 * it has. Thread-safe.
 */
final class StallWatch implements AutoCloseable {

    private final Time time;
    private final Timers timers;
    private final Duration timeout;
    private final CompletableFuture<Loss> stalled = new CompletableFuture<>();
    private volatile long lastChunk;
    private Timers.@Nullable Handle timer; // guarded by this
    private boolean closed; // guarded by this

    /**
     * @param timeout zero to watch nothing
     */
    StallWatch(Time time, Timers timers, Duration timeout) {
        this.time = time;
        this.timers = timers;
        this.timeout = timeout;
    }

    /** Completes when the run is stalled. */
    CompletableFuture<Loss> stalled() {
        return stalled;
    }

    void start() {
        if (!timeout.isZero()) {
            progressed();
            arm(timeout);
        }
    }

    void progressed() {
        if (!timeout.isZero()) {
            lastChunk = time.monotonicNanos();
        }
    }

    private synchronized void arm(Duration wait) {
        if (!closed) {
            timer = timers.after(wait, this::look);
        }
    }

    private void look() {
        long quiet = time.monotonicNanos() - lastChunk;
        if (quiet >= timeout.toNanos()) {
            stalled.complete(
                    new Loss(Incident.Cause.STALLED, "It emitted nothing for %d ms".formatted(timeout.toMillis())));
        } else {
            arm(Duration.ofNanos(timeout.toNanos() - quiet));
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (timer != null) {
            timer.cancel();
        }
    }
}
