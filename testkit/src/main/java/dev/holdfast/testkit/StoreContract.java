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
                BlobContract,
                SearchContract,
                TurnAndPropertyContract,
                TransactionContract {

    @TempDir
    Path folder;

    private StoreUnderTest store;

    protected StoreContract() {}

    /** Opens the store in this folder, which is empty at first. Called again, after a close, for a restart. */
    protected abstract Store open(Path where);

    /** When the store tells that a write is refused; as soon as possible, unless it says otherwise. */
    protected Refusal refusal() {
        return Refusal.AT_THE_WRITE;
    }

    /** When a store tells of a write that a constraint refuses. */
    public enum Refusal {
        /** The write itself fails. */
        AT_THE_WRITE,
        /** The store gathers writes: the write fails, or the next read, or the commit. */
        AT_THE_COMMIT_AT_THE_LATEST
    }

    @Override
    public final boolean mayRefuseLater() {
        return refusal() == Refusal.AT_THE_COMMIT_AT_THE_LATEST;
    }

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
