package dev.holdfast.verification.session;

import dev.holdfast.store.Store;
import dev.holdfast.store.StoreReads;
import dev.holdfast.store.StoreTransaction;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;

/** A store that notes which verbs were called on it. */
final class CountedStore implements Store {

    private final Store store;
    private final List<String> writes = new CopyOnWriteArrayList<>();
    private final List<String> reads = new CopyOnWriteArrayList<>();

    CountedStore(Store store) {
        this.store = store;
    }

    /** Names of the writing verbs since the last call, in order. */
    List<String> takeWrites() {
        List<String> taken = List.copyOf(writes);
        writes.clear();
        return taken;
    }

    /** Names of the reading verbs outside transactions since the last call, in order. */
    List<String> takeReads() {
        List<String> taken = List.copyOf(reads);
        reads.clear();
        return taken;
    }

    @Override
    public void recover(RecoverySink sink) {
        store.recover(sink);
    }

    @Override
    public StoreTransaction begin() {
        StoreTransaction real = store.begin();
        return noting(StoreTransaction.class, real, method -> {
            boolean reading = method.getDeclaringClass().isAssignableFrom(StoreReads.class);
            if (!reading && method.getDeclaringClass() != StoreTransaction.class) {
                writes.add(method.getName());
            }
        });
    }

    @Override
    public <T> T read(Function<StoreReads, T> work) {
        return store.read(real -> work.apply(noting(StoreReads.class, real, this::noteRead)));
    }

    private void noteRead(Method verb) {
        reads.add(verb.getName());
    }

    private static <T> T noting(Class<T> type, T real, Consumer<Method> note) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
            note.accept(method);
            try {
                return method.invoke(real, args);
            } catch (InvocationTargetException e) {
                throw Objects.requireNonNull(e.getCause());
            }
        }));
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
