package dev.holdfast.store;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a command may use while it decides: the transaction, and a place to stage changes of memory. Staged changes are applied after the
 * commit or dropped with the transaction, so that memory never says more than the disk. Confined to the committer's thread.
 */
public final class CommitScope {

    private final Supplier<StoreTransaction> begin;
    private final long now;
    private final List<Staged> staged = new ArrayList<>();
    private @Nullable StoreTransaction transaction;
    private int writes;

    /**
     * @param begin begins the transaction, once it is needed
     */
    CommitScope(Supplier<StoreTransaction> begin, long now) {
        this.begin = begin;
        this.now = now;
    }

    /** Wall clock of this batch, ms. */
    public long now() {
        return now;
    }

    /** For reading; sees the changes of this transaction. */
    public StoreReads reads() {
        return transaction();
    }

    /** For writing. From now on a refusal of this command spoils the transaction. */
    public StoreTransaction writes() {
        writes++;
        return transaction();
    }

    private StoreTransaction transaction() {
        StoreTransaction open = transaction;
        if (open == null) {
            open = begin.get();
            transaction = open;
        }
        return open;
    }

    /** Registers a change of memory; the same object is registered once per batch. */
    public void stage(Staged change) {
        staged.add(change);
    }

    int writeCount() {
        return writes;
    }

    /** Commits if anything was written; otherwise closes the read-only transaction. */
    StoreTransaction.@Nullable Receipt commit() {
        StoreTransaction open = transaction;
        if (open == null) {
            return null;
        }
        if (writes == 0) {
            open.rollback();
            return null;
        }
        return open.commit();
    }

    /** After the commit: memory takes every change, and then whoever waits for one is woken. */
    void publish(StoreTransaction.Receipt receipt) {
        for (int i = 0; i < staged.size(); i++) {
            staged.get(i).apply(receipt);
        }
        for (int i = 0; i < staged.size(); i++) {
            staged.get(i).wake();
        }
    }

    /** After the callers have their answers. */
    void wakeReaders() {
        for (int i = 0; i < staged.size(); i++) {
            staged.get(i).wakeReaders();
        }
    }

    void rollback() {
        StoreTransaction open = transaction;
        if (open != null) {
            open.rollback();
        }
        for (Staged change : staged) {
            change.discard();
        }
    }

    /** A change of memory that waits for its commit. */
    public interface Staged {

        /** The commit succeeded: memory takes the change, and everyone may see it. */
        void apply(StoreTransaction.Receipt receipt);

        /** The transaction was rolled back: memory stays as it was. */
        void discard();

        /** After every change of the batch was applied: wakes those who wait for it. Must not block or throw. */
        default void wake() {}

        /** After the callers of the batch have their answers: wakes those who read along. Must not block or throw. */
        default void wakeReaders() {}
    }
}
