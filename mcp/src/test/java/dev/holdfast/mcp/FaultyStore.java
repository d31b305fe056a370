package dev.holdfast.mcp;

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

/** A store whose commits a test can hold or let fail, for once or as those of a full disk, and whose reads it can let fail. */
public final class FaultyStore implements Store {

    private final Store store;
    private final AtomicInteger failingCommits = new AtomicInteger();
    private final AtomicInteger failingReads = new AtomicInteger();
    private final AtomicInteger listings = new AtomicInteger();
    private volatile boolean full;
    private volatile CountDownLatch gate = new CountDownLatch(0);
    private volatile CountDownLatch held = new CountDownLatch(1);

    public FaultyStore(Store store) {
        this.store = store;
    }

    /** The next commits are rolled back. */
    public void failCommits(int count) {
        failingCommits.set(count);
    }

    public int commitsStillToFail() {
        return failingCommits.get();
    }

    /** The next reads fail. */
    public void failReads(int count) {
        failingReads.set(count);
    }

    /** The listing of streams that is this far away is refused once. */
    public void refuseListing(int away) {
        listings.set(away);
    }

    /** Whether commits find no room. */
    public void full(boolean now) {
        full = now;
    }

    /** Commits wait from now on, until {@link #release}. */
    public void hold() {
        held = new CountDownLatch(1);
        gate = new CountDownLatch(1);
    }

    /** Waits until a commit is held. */
    public void awaitHeld() throws InterruptedException {
        held.await();
    }

    public void release() {
        gate.countDown();
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
                    return invoke(method, transaction, arguments);
                });
    }

    private void beforeCommit() throws InterruptedException {
        CountDownLatch closed = gate;
        if (closed.getCount() > 0) {
            held.countDown();
            closed.await();
        }
        if (full) {
            throw new StoreFull("injected: the disk is full", new IllegalStateException("injected"));
        }
        if (failingCommits.get() > 0 && failingCommits.getAndDecrement() > 0) {
            throw new StoreBusy("injected: the commit failed", new IllegalStateException("injected"));
        }
    }

    @Override
    public <T> T read(Function<StoreReads, T> work) {
        if (failingReads.get() > 0 && failingReads.getAndDecrement() > 0) {
            throw new StoreBusy("injected: the read failed", new IllegalStateException("injected"));
        }
        return store.read(reads -> work.apply(watched(reads)));
    }

    private StoreReads watched(StoreReads reads) {
        return (StoreReads) Proxy.newProxyInstance(
                FaultyStore.class.getClassLoader(), new Class<?>[] {StoreReads.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("streams") && listings.getAndDecrement() == 1) {
                        throw new StoreBusy("injected: the listing failed", new IllegalStateException("injected"));
                    }
                    return invoke(method, reads, arguments);
                });
    }

    private static Object invoke(Method method, Object on, Object[] arguments) throws Throwable {
        try {
            return method.invoke(on, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
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
