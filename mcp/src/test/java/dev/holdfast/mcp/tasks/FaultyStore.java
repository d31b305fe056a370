package dev.holdfast.mcp.tasks;

import dev.holdfast.error.HoldfastException.StoreFull;
import dev.holdfast.store.Store;
import dev.holdfast.store.StoreReads;
import dev.holdfast.store.StoreTransaction;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** A store whose commits can be held and made to fail, as those of a full disk. */
final class FaultyStore implements Store {

    private final Store store;
    private volatile boolean full;
    private volatile CountDownLatch gate = new CountDownLatch(0);
    private final AtomicInteger held = new AtomicInteger();

    FaultyStore(Store store) {
        this.store = store;
    }

    /** Commits wait from now on. */
    void hold() {
        gate = new CountDownLatch(1);
    }

    void release() {
        gate.countDown();
    }

    /** Commits that waited. */
    int held() {
        return held.get();
    }

    void full(boolean now) {
        full = now;
    }

    private StoreTransaction faulty(StoreTransaction transaction) {
        return (StoreTransaction) Proxy.newProxyInstance(
                FaultyStore.class.getClassLoader(), new Class<?>[] {StoreTransaction.class}, (proxy, method, args) -> {
                    if (method.getName().equals("commit")) {
                        if (gate.getCount() > 0) {
                            held.incrementAndGet();
                            gate.await();
                        }
                        if (full) {
                            throw new StoreFull("The disk is full", new IllegalStateException("test"));
                        }
                    }
                    try {
                        return method.invoke(transaction, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Override
    public StoreTransaction begin() {
        return faulty(store.begin());
    }

    @Override
    public void recover(RecoverySink sink) {
        store.recover(sink);
    }

    @Override
    public <T> T read(Function<StoreReads, T> work) {
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
