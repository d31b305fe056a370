package dev.holdfast.stream;

import dev.holdfast.error.HoldfastException.CallbackFailed;
import dev.holdfast.store.CommitScope;
import dev.holdfast.store.StoreTransaction;
import dev.holdfast.store.Timers;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Runs the application's commit callback inside the open transaction. The committer waits for it, so its time is bounded: when the limit
 * passes it is interrupted, and the transaction is rolled back whatever it then does.
 */
public final class Callbacks {

    private Callbacks() {}

    /**
     * @throws CallbackFailed if it threw or took too long; the caller's transaction must be rolled back
     */
    public static void run(CommitScope scope, CommitCallback callback, StreamLimits limits, Timers timers) {
        StoreTransaction transaction = scope.writes();
        AtomicBoolean open = new AtomicBoolean(true);
        AtomicBoolean late = new AtomicBoolean();
        Thread committer = Thread.currentThread();
        Timers.Handle watch = timers.after(limits.maxCallback(), () -> {
            synchronized (open) {
                if (open.get()) {
                    late.set(true);
                    committer.interrupt();
                }
            }
        });
        try {
            callback.run(new Handle(transaction, open));
        } catch (Throwable e) { // an Error of the application is its failure as well, not the store's
            throw late.get()
                    ? tooLate(limits, e)
                    : new CallbackFailed("The commit callback failed and everything was rolled back: " + e, e);
        } finally {
            synchronized (open) {
                open.set(false);
            }
            watch.cancel();
            Thread.interrupted(); // a late interrupt must not reach the commit
        }
        if (late.get()) {
            throw tooLate(limits, new InterruptedException());
        }
    }

    private static CallbackFailed tooLate(StreamLimits limits, Throwable cause) {
        return new CallbackFailed(
                "The commit callback ran longer than %d ms and was rolled back. Only write in it."
                        .formatted(limits.maxCallback().toMillis()),
                cause);
    }

    private record Handle(StoreTransaction transaction, AtomicBoolean open) implements CommitCallback.CommitHandle {
        @Override
        public <T> Optional<T> unwrap(Class<T> type) {
            if (!open.get()) {
                throw new IllegalStateException("The commit callback is over; its transaction can no longer be used.");
            }
            return transaction.unwrap(type);
        }
    }
}
