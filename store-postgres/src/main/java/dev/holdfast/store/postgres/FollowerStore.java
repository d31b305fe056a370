package dev.holdfast.store.postgres;

import dev.holdfast.error.HoldfastException.Closed;
import dev.holdfast.store.Store;
import dev.holdfast.store.StoreReads;
import dev.holdfast.store.StoreTransaction;
import java.util.function.Function;

/** A shard that another node writes. Safe for any thread. */
final class FollowerStore implements Store {

    private final String description;
    private final int shard;
    private final Snapshots snapshots;
    private volatile boolean closed;

    FollowerStore(String description, int shard, Snapshots snapshots) {
        this.description = description;
        this.shard = shard;
        this.snapshots = snapshots;
    }

    @Override
    public void recover(RecoverySink sink) {
        throw refused();
    }

    @Override
    public StoreTransaction begin() {
        throw refused();
    }

    private IllegalStateException refused() {
        return new IllegalStateException(
                "%s is open for reading only. Acquire the shard's lease and open the store with its epoch to write."
                        .formatted(description));
    }

    @Override
    public <T> T read(Function<StoreReads, T> work) {
        if (closed) {
            throw new Closed("The store is closed and takes no more reads.");
        }
        return snapshots.run(shard, work);
    }

    @Override
    public String description() {
        return description;
    }

    @Override
    public void close() {
        closed = true;
    }
}
