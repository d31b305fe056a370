package dev.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.error.HoldfastException.StoreFailed;
import dev.holdfast.store.StoreReads;
import dev.holdfast.store.StoreTransaction;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One part of the contract: tests as default methods, run against the store that the test class opened. */
interface ContractPart {

    StoreUnderTest store();

    /** Whether a refused write may be told by the next read or by the commit. */
    boolean mayRefuseLater();

    /** The write fails for a constraint; with a store that gathers writes, the next read at the latest. */
    default void assertRefused(StoreTransaction transaction, Consumer<StoreTransaction> write) {
        assertThatExceptionOfType(StoreFailed.class).isThrownBy(() -> {
            write.accept(transaction);
            if (mayRefuseLater()) {
                long unused = transaction.nextStreamExpiry();
            }
        });
    }

    /** Reads what is committed, each verb on a snapshot of its own. */
    default StoreReads reads() {
        return proxy(StoreReads.class, (method, arguments) -> store().read(r -> call(r, method, arguments)));
    }

    /** Writes, each verb in a transaction of its own that is committed. */
    default StoreTransaction alone() {
        return proxy(StoreTransaction.class, (method, arguments) -> store().answer(t -> call(t, method, arguments)));
    }

    /** One verb on its way. */
    interface Verb {
        @Nullable
        Object run(Method method, @Nullable Object[] arguments);
    }

    private static <T> T proxy(Class<T> type, Verb verb) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (self, method, arguments) -> verb.run(method, arguments)));
    }

    @SuppressWarnings("NullAway") // a verb without a result answers null, which goes through unseen
    private static Object call(Object target, Method method, @Nullable Object[] arguments) {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new AssertionError(method + " failed", e);
        } catch (IllegalAccessException e) {
            throw new AssertionError(method + " cannot be called", e);
        }
    }
}
