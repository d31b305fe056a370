package dev.holdfast.store.sqlite;

import dev.holdfast.store.Store;
import dev.holdfast.store.StoreProvider;
import dev.holdfast.store.StoreSettings;
import java.nio.file.Path;

/** Opens {@link SqliteStore}; found by {@link java.util.ServiceLoader}. */
public final class SqliteStoreProvider implements StoreProvider {

    @Override
    public String name() {
        return "sqlite";
    }

    @Override
    public Store open(Path folder, StoreSettings settings) {
        return SqliteStore.open(folder, settings);
    }
}
