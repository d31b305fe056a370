package dev.holdfast.turn;

import dev.holdfast.error.HoldfastException.Closed;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * A started turn. Holding it or dropping it changes nothing: the turn is detached from whoever started it (DISCONNECT-IS-NOT-STOP).
 *
 * <p>Thread-safe.
 */
public final class TurnHandle {

    private final TurnStatus status;
    private final boolean started;
    private final CompletableFuture<TurnStatus> rest;

    TurnHandle(TurnStatus status, boolean started, CompletableFuture<TurnStatus> rest) {
        this.status = status;
        this.started = started;
        this.rest = rest;
    }

    /** The turn as it stood when it was started or attached to. */
    public TurnStatus status() {
        return status;
    }

    public String id() {
        return status.id();
    }

    /** True if this call started the turn, false if it attached to one that its key had started before (SAME-KEY-ATTACHES). */
    public boolean started() {
        return started;
    }

    /**
     * Waits until the turn waits for someone or has its outcome.
     *
     * @throws Closed if this process ends first, and the turn is taken up by the next open of the store; or if its session was deleted while
     *     it waited in the queue
     */
    public TurnStatus await() throws InterruptedException {
        try {
            return rest.get();
        } catch (CancellationException e) {
            throw new Closed(
                    "The turn has not ended: this process ends, and the next one takes it up; or its session was deleted before it began.");
        } catch (ExecutionException e) {
            throw new IllegalStateException("A turn's end is a value, never an exception", e);
        }
    }

    /** Completes when the turn waits for someone or has its outcome; is cancelled where {@link #await} would throw. */
    public CompletableFuture<TurnStatus> ended() {
        return rest.copy();
    }
}
