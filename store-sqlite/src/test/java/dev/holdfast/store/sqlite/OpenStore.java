package dev.holdfast.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.store.StoreReads;
import dev.holdfast.store.StoreSettings;
import dev.holdfast.store.StoreTransaction;
import dev.holdfast.store.StoreTransaction.Receipt;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Consumer;

/** A store under test, which can be closed and opened again. */
final class OpenStore implements AutoCloseable {

    private final Path folder;
    private final StoreSettings settings;
    private SqliteStore store;

    OpenStore(Path folder) {
        this(folder, Rows.settings());
    }

    OpenStore(Path folder, StoreSettings settings) {
        this.folder = folder;
        this.settings = settings;
        this.store = SqliteStore.open(folder, settings);
    }

    SqliteStore store() {
        return store;
    }

    StoreTransaction begin() {
        return store.begin();
    }

    Receipt commit(Consumer<StoreTransaction> work) {
        StoreTransaction tx = store.begin();
        work.accept(tx);
        return tx.commit();
    }

    /** Closes and opens the store; returns what its log holds then. */
    Rows.Log reopen() {
        store.close();
        store = SqliteStore.open(folder, settings);
        Rows.Log log = new Rows.Log();
        store.recover(log);
        return log;
    }

    /** Checks on a snapshot. */
    void snapshot(Consumer<StoreReads> checks) {
        int unused = store.read(reads -> {
            checks.accept(reads);
            return 0;
        });
    }

    /** Checks on a snapshot, then once more after a restart. */
    void check(Consumer<StoreReads> checks) {
        snapshot(checks);
        reopen();
        snapshot(checks);
    }

    @Override
    public void close() {
        store.close();
    }

    /** That a row is there and equal, its arrays too. */
    static void assertSame(Optional<? extends Record> actual, Record expected) {
        assertThat(actual)
                .get()
                .usingRecursiveComparison()
                .withEqualsForType(Arrays::equals, byte[].class)
                .isEqualTo(expected);
    }
}
