package dev.holdfast.verification.rig;

import dev.holdfast.store.Store;
import dev.holdfast.store.StoreReads;
import dev.holdfast.store.StoreTransaction;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A store in front of a real one that tells an observer of each verb before and after it runs. The observer may throw or block: that is how
 * tests inject faults and stop the world at a named step, at the seam that production code uses.
 */
public final class StoreTap implements Store {

    /** Told of verbs by their method's name: {@code begin}, {@code beginFreeing}, {@code append}, {@code insertBlock}, {@code commit} ... */
    public interface Observer {

        /**
         * A verb is about to run.
         *
         * @param earlier the verbs of the same transaction until now
         */
        default void before(String verb, List<String> earlier) {}

        /** A verb has run and did not throw. */
        default void after(String verb, List<String> earlier) {}

        /** Something outside of a transaction is about to be read. */
        default void reading() {}

        /** An entry of the log is about to be handed to the engine at start. */
        default void recovering(long position) {}
    }

    private final Store store;
    private final Observer observer;

    public StoreTap(Store store, Observer observer) {
        this.store = store;
        this.observer = observer;
    }

    @Override
    public void recover(RecoverySink sink) {
        observer.before("recover", List.of());
        store.recover(entry -> {
            observer.recovering(entry.position());
            sink.entry(entry);
        });
        observer.after("recover", List.of());
    }

    @Override
    public StoreTransaction begin() {
        return begin("begin", store::begin);
    }

    @Override
    public StoreTransaction beginFreeing() {
        return begin("beginFreeing", store::beginFreeing);
    }

    private StoreTransaction begin(String how, Supplier<StoreTransaction> begin) {
        observer.before(how, List.of());
        StoreTransaction transaction = begin.get();
        observer.after(how, List.of());
        List<String> verbs = new ArrayList<>();
        return (StoreTransaction) Proxy.newProxyInstance(
                StoreTap.class.getClassLoader(),
                new Class<?>[] {StoreTransaction.class},
                (proxy, method, arguments) -> watched(transaction, verbs, method, arguments));
    }

    private @Nullable Object watched(
            StoreTransaction transaction, List<String> verbs, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        String verb = method.getName();
        observer.before(verb, verbs);
        Object result;
        try {
            result = method.invoke(transaction, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
        observer.after(verb, verbs);
        verbs.add(verb);
        return result;
    }

    @Override
    public <T> T read(Function<StoreReads, T> work) {
        observer.reading();
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
