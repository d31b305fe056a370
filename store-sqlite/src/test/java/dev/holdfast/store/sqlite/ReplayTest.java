package dev.holdfast.store.sqlite;

import dev.holdfast.store.Store;
import dev.holdfast.store.StoreSettings;
import dev.holdfast.testkit.ReplayContract;
import java.nio.file.Path;

/** Replay races with append on SQLite. */
final class ReplayTest extends ReplayContract {

    @Override
    protected Store open(Path where) {
        return new SqliteStoreProvider().open(where, StoreSettings.defaults());
    }
}
