package dev.holdfast.testkit;

import dev.holdfast.store.Store;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * What every store must do. A store's own test class extends this one and says how it is opened; JUnit then runs the tests of all the parts
 * below against it.
 */
public abstract class StoreContract
        implements LogContract,
                StreamContract,
                SessionContract,
                MessageContract,
                TurnAndPropertyContract,
                TransactionContract {

    @TempDir
    Path folder;

    private StoreUnderTest store;

    protected StoreContract() {}

    /** Opens the store in this folder, which is empty at first. Called again, after a close, for a restart. */
    protected abstract Store open(Path where);

    @BeforeEach
    final void openStore() {
        store = new StoreUnderTest(() -> open(folder));
    }

    @AfterEach
    final void closeStore() {
        store.close();
    }

    @Override
    public final StoreUnderTest store() {
        return store;
    }
}
