package dev.holdfast.store;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.StoreDamaged;
import dev.holdfast.error.HoldfastException.StorePoisoned;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a committer's store has suffered for good. Written by the committer's thread, read by any. */
final class Health {

    private static final Logger LOG = LoggerFactory.getLogger(Health.class);

    private final Store store;
    private volatile @Nullable StorePoisoned poison;
    private volatile @Nullable StoreDamaged damage;

    private volatile Runnable whenPoisoned = () -> {};

    Health(Store store) {
        this.store = store;
    }

    void onPoison(Runnable told) {
        whenPoisoned = told;
    }

    /** The failure of unknown fate after which nothing is written any more (FAIL-STOP), or null. */
    @Nullable
    StorePoisoned poison() {
        return poison;
    }

    /** The first damage that a command met. */
    Optional<StoreDamaged> damage() {
        return Optional.ofNullable(damage);
    }

    /** From now on nothing is written. Returns the failure that was the first. */
    StorePoisoned poison(Throwable cause) {
        StorePoisoned first = poison;
        if (first == null) {
            first = cause instanceof StorePoisoned given
                    ? given
                    : new StorePoisoned(
                            "A write to the store failed and its fate is unknown. Close it and open it anew; what was acknowledged is there.",
                            cause);
            poison = first;
            whenPoisoned.run();
            if (first.isLeaseLost()) {
                LOG.warn(
                        "{}: {} Its turns go on at the node that has it now, and calls find their way there.",
                        store.description(),
                        first.getMessage());
            } else {
                LOG.error("{} takes no more writes until it is opened anew", store.description(), cause);
            }
        }
        return first;
    }

    /** A command failed; remembers damage. */
    void note(HoldfastException error) {
        if (error instanceof StoreDamaged found && damage == null) {
            damage = found;
            LOG.error("{} is damaged; restore it from a backup", store.description(), found);
        }
    }
}
