package dev.holdfast.bench.micro;

import dev.holdfast.store.Store;
import dev.holdfast.store.StoreReads;
import dev.holdfast.store.StoreTransaction;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** A store that forgets everything at once, so that what is left is the cost of deciding. */
final class DiscardingStore implements Store {

    private final StoreTransaction transaction;
    private long position;
    private long keys = 1;

    DiscardingStore() {
        this.transaction = (StoreTransaction) Proxy.newProxyInstance(
                DiscardingStore.class.getClassLoader(),
                new Class<?>[] {StoreTransaction.class},
                (proxy, method, arguments) -> answer(method, arguments));
    }

    private Object answer(Method method, Object[] arguments) {
        return switch (method.getName()) {
            case "commit" -> new StoreTransaction.Receipt(++position, 1, 1);
            case "reserveKeys" -> {
                keys += (int) arguments[0];
                yield keys - (int) arguments[0];
            }
            case "releaseLog" -> arguments[0];
            default -> nothing(method.getReturnType());
        };
    }

    @SuppressWarnings("NullAway") // a method without result has none
    private static Object nothing(Class<?> type) {
        if (type == Optional.class) {
            return Optional.empty();
        }
        if (type == List.class) {
            return List.of();
        }
        if (type == long.class) {
            return 0L;
        }
        return type == int.class ? (Object) 0 : null;
    }

    @Override
    public void recover(RecoverySink sink) {}

    @Override
    public StoreTransaction begin() {
        return transaction;
    }

    @Override
    public <T> T read(Function<StoreReads, T> work) {
        return work.apply(transaction);
    }

    @Override
    public String description() {
        return "nowhere";
    }

    @Override
    public void close() {}
}
