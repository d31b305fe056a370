package dev.holdfast.testkit;

import dev.holdfast.store.AppendRecord;
import dev.holdfast.store.Store;
import dev.holdfast.store.StoreReads;
import dev.holdfast.store.StoreTransaction;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/** The store that a contract test works on: opened, recovered, and opened anew when the test asks for a restart. */
final class StoreUnderTest implements AutoCloseable {

    private final Supplier<Store> opener;
    private final List<Entry> recovered = new ArrayList<>();
    private Store store;

    /** A log entry as recovery reported it. */
    record Entry(long position, int bytes, long committedAt, List<AppendRecord> appends) {}

    StoreUnderTest(Supplier<Store> opener) {
        this.opener = opener;
        this.store = opener.get();
        recover();
    }

    private void recover() {
        recovered.clear();
        store.recover(entry ->
                recovered.add(new Entry(entry.position(), entry.bytes(), entry.committedAt(), entry.records())));
    }

    /** Closes the store, opens it anew, and returns what its log held. */
    List<Entry> restart() {
        store.close();
        store = opener.get();
        recover();
        return List.copyOf(recovered);
    }

    /** The transaction; the caller ends it. */
    StoreTransaction begin() {
        return store.begin();
    }

    <T> T read(Function<StoreReads, T> work) {
        return store.read(work);
    }

    /** Runs one transaction and commits it. */
    StoreTransaction.Receipt commit(Consumer<StoreTransaction> work) {
        return commitAnd(transaction -> {
                    work.accept(transaction);
                    return true;
                })
                .receipt();
    }

    /** Runs one transaction, commits it, and returns what {@code work} answered. */
    <T> T answer(Function<StoreTransaction, T> work) {
        return commitAnd(work).answer();
    }

    private <T> Committed<T> commitAnd(Function<StoreTransaction, T> work) {
        StoreTransaction transaction = store.begin();
        try {
            T answer = work.apply(transaction);
            return new Committed<>(answer, transaction.commit());
        } finally {
            transaction.rollback();
        }
    }

    private record Committed<T>(T answer, StoreTransaction.Receipt receipt) {}

    /** Runs one transaction and rolls it back. */
    void rollBack(Consumer<StoreTransaction> work) {
        StoreTransaction transaction = store.begin();
        work.accept(transaction);
        transaction.rollback();
    }

    @Override
    public void close() {
        store.close();
    }
}
