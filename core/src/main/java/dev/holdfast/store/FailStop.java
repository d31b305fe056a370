package dev.holdfast.store;

import dev.holdfast.error.HoldfastException.StorePoisoned;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * FAIL-STOP: remembers a store's first failure that left unknown what is on disk. From then on that store writes nothing, neither
 * transactions nor checkpoints; reads of what was committed go on. There is no way back but a fresh open.
 *
 * <p>The error reaches the committer, which logs it; so nothing is logged here. Any thread may ask or set it.
 */
public final class FailStop {

    private final AtomicReference<@Nullable Throwable> cause = new AtomicReference<>();

    /** Refuses if the store is poisoned. */
    public void check() {
        Throwable first = cause.get();
        if (first != null) {
            throw refusal(first);
        }
    }

    /** Whether such a failure was met. */
    public boolean isPoisoned() {
        return cause.get() != null;
    }

    /** Poisons the store, unless it is already, and returns the error to throw. */
    public StorePoisoned poison(Throwable failure) {
        cause.compareAndSet(null, failure);
        return refusal(failure);
    }

    private StorePoisoned refusal(Throwable failure) {
        if (failure instanceof StorePoisoned told) {
            return StorePoisoned.again(told);
        }
        return new StorePoisoned(
                "A write to the store failed and its fate is unknown. Close it and open it anew; what was acknowledged is there.",
                failure);
    }
}
