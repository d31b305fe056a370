package dev.holdfast.mcp.streamable;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.store.Store;
import dev.holdfast.store.StoreReads;
import dev.holdfast.store.StoreTransaction;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A store whose commits a test can hold or let fail, and whose reads it can let fail. */
final class FaultyStore implements Store {

    private final Store store;
    private final AtomicInteger failingCommits = new AtomicInteger();
    private final AtomicInteger failingReads = new AtomicInteger();
    private volatile @Nullable CountDownLatch gate;
    private volatile CountDownLatch held = new CountDownLatch(1);

    FaultyStore(Store store) {
        this.store = store;
    }

    /** The next commits are rolled back. */
    void failCommits(int count) {
        failingCommits.set(count);
    }

    int commitsStillToFail() {
        return failingCommits.get();
    }

    void failReads(int count) {
        failingReads.set(count);
    }

    /** The next commit waits until {@link #release}. */
    void hold() {
        held = new CountDownLatch(1);
        gate = new CountDownLatch(1);
    }

    /** Waits until a commit is held. */
    void awaitHeld() throws InterruptedException {
        held.await();
    }

    void release() {
        CountDownLatch closed = gate;
        gate = null;
        if (closed != null) {
            closed.countDown();
        }
    }

    @Override
    public void recover(RecoverySink sink) {
        store.recover(sink);
    }

    @Override
    public StoreTransaction begin() {
        return watched(store.begin());
    }

    @Override
    public StoreTransaction beginFreeing() {
        return watched(store.beginFreeing());
    }

    private StoreTransaction watched(StoreTransaction transaction) {
        return (StoreTransaction) Proxy.newProxyInstance(
                FaultyStore.class.getClassLoader(),
                new Class<?>[] {StoreTransaction.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("commit")) {
                        beforeCommit();
                    }
                    try {
                        return method.invoke(transaction, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause() == null ? e : e.getCause();
                    }
                });
    }

    private void beforeCommit() throws InterruptedException {
        CountDownLatch closed = gate;
        if (closed != null) {
            held.countDown();
            closed.await();
        }
        if (failingCommits.get() > 0 && failingCommits.getAndDecrement() > 0) {
            throw new HoldfastException.StoreBusy("injected: the commit failed", new IllegalStateException("injected"));
        }
    }

    @Override
    public <T> T read(Function<StoreReads, T> work) {
        if (failingReads.get() > 0 && failingReads.getAndDecrement() > 0) {
            throw new HoldfastException.StoreBusy("injected: the read failed", new IllegalStateException("injected"));
        }
        return store.read(work);
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
