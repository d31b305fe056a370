package dev.holdfast.mcp.tasks;

import dev.holdfast.error.HoldfastException.StoreBusy;
import dev.holdfast.error.HoldfastException.StoreFull;
import dev.holdfast.store.Store;
import dev.holdfast.store.StoreReads;
import dev.holdfast.store.StoreTransaction;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
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
    private final AtomicInteger listings = new AtomicInteger();

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

    /** The listing of streams that is this far away is refused once. */
    void refuseListing(int away) {
        listings.set(away);
    }

    private StoreReads faulty(StoreReads reads) {
        return (StoreReads) Proxy.newProxyInstance(
                FaultyStore.class.getClassLoader(), new Class<?>[] {StoreReads.class}, (proxy, method, args) -> {
                    if (method.getName().equals("streams") && listings.getAndDecrement() == 1) {
                        throw new StoreBusy("The store is busy", new IllegalStateException("test"));
                    }
                    return invoke(method, reads, args);
                });
    }

    private static Object invoke(Method method, Object on, Object[] args) throws Throwable {
        try {
            return method.invoke(on, args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
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
                    return invoke(method, transaction, args);
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
        return store.read(reads -> work.apply(faulty(reads)));
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
