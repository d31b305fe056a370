package dev.holdfast.turn;

import dev.holdfast.store.Timers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How threads of turns wait: by the injected timers, and never longer than the process lives. Thread-safe. */
final class Waits {

    private static final Logger LOG = LoggerFactory.getLogger(Waits.class);

    private final Timers timers;
    private final CompletableFuture<Void> closing = new CompletableFuture<>();

    Waits(Timers timers) {
        this.timers = timers;
    }

    /** Waits for it at most so long, or until the process ends. Returns whether it came. */
    boolean comesWithin(CompletableFuture<?> what, Duration limit) throws InterruptedException {
        if (what.isDone()) {
            return true;
        }
        CompletableFuture<Boolean> late = new CompletableFuture<>();
        Timers.Handle alarm = timers.after(limit, () -> late.complete(true));
        try {
            Object unused = CompletableFuture.anyOf(what, late, closing).get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("Nothing that a turn waits for fails", e);
        } finally {
            alarm.cancel();
        }
        return what.isDone();
    }

    /** Waits, unless the process ends, and returns the next, longer pause. */
    Duration pauseAndGrow(Duration pause) {
        try {
            boolean unused = comesWithin(closing, pause);
        } catch (InterruptedException e) {
            LOG.debug("A pause was cut short", e); // the caller looks whether the process ends
        }
        Duration longer = pause.multipliedBy(2);
        return longer.compareTo(TurnLimits.MAX_COMMIT_BACKOFF) > 0 ? TurnLimits.MAX_COMMIT_BACKOFF : longer;
    }

    /** Whether nothing waits any more. */
    boolean areOver() {
        return closing.isDone();
    }

    /** The process ends: all waits do. */
    void end() {
        closing.complete(null);
    }
}
