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
     * @throws Closed if this process ends first; the turn is then taken up by the next open of the store
     */
    public TurnStatus await() throws InterruptedException {
        try {
            return rest.get();
        } catch (CancellationException e) {
            throw new Closed("This process ends before the turn does. The next one takes it up; ask there.");
        } catch (ExecutionException e) {
            throw new IllegalStateException("A turn's end is a value, never an exception", e);
        }
    }

    /** Completes when the turn waits for someone or has its outcome; is cancelled if this process ends first. */
    public CompletableFuture<TurnStatus> ended() {
        return rest.copy();
    }
}
