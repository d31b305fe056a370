package dev.holdfast.store.sqlite;

import dev.holdfast.store.Store;
import dev.holdfast.store.StoreSettings;
import dev.holdfast.testkit.StoreContract;
import java.nio.file.Path;

/** The SQLite store keeps the contract that every store keeps. */
final class ContractTest extends StoreContract {

    @Override
    protected Store open(Path where) {
        return new SqliteStoreProvider().open(where, StoreSettings.defaults());
    }
}
