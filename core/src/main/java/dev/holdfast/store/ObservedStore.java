package dev.holdfast.store;

import dev.holdfast.error.HoldfastException.StoreDamaged;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A store that remembers the first damage that a read of it found. Whoever asked is told by the error; whoever watches over the instance
 * has to hear of it too, since the next reader of another row finds nothing wrong. Safe for any thread, as the store is.
 */
public final class ObservedStore implements Store {

    private static final Logger LOG = LoggerFactory.getLogger(ObservedStore.class);

    private final Store store;
    private final AtomicReference<@Nullable StoreDamaged> damage = new AtomicReference<>();

    public ObservedStore(Store store) {
        this.store = store;
    }

    /** The first damage that a read found. */
    public Optional<StoreDamaged> damage() {
        return Optional.ofNullable(damage.get());
    }

    @Override
    public <T> T read(Function<StoreReads, T> work) {
        try {
            return store.read(work);
        } catch (StoreDamaged e) {
            if (damage.compareAndSet(null, e)) {
                LOG.error("{} is damaged; restore it from a backup", store.description(), e);
            }
            throw e;
        }
    }

    @Override
    public void recover(RecoverySink sink) {
        store.recover(sink);
    }

    @Override
    public StoreTransaction begin() {
        return store.begin();
    }

    @Override
    public StoreTransaction beginFreeing() {
        return store.beginFreeing();
    }

    @Override
    public String description() {
        return store.description();
    }

    @Override
    public void close() {
        store.close();
    }
}
