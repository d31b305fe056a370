package dev.holdfast.bench.core;

import dev.holdfast.store.Store;
import dev.holdfast.store.StoreReads;
import dev.holdfast.store.StoreTransaction;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/** A store that counts what is committed to it; not for timing, since each call of a transaction goes through a proxy. */
public final class CountingStore implements Store {

    private final Store store;
    private final AtomicLong commits = new AtomicLong();
    private volatile long rows;
    private volatile boolean lookAtRows;

    public CountingStore(Store store) {
        this.store = store;
    }

    /** Transactions committed; each is one sync of the write-ahead log. */
    public long commits() {
        return commits.get();
    }

    /** Rows inserted, updated or deleted, as of the last transaction that began after {@link #lookAtRows()}. */
    long rows() {
        return rows;
    }

    /** Lets the next transaction look at SQLite's own count. */
    void lookAtRows() {
        lookAtRows = true;
    }

    @Override
    public StoreTransaction begin() {
        if (lookAtRows) {
            lookAtRows = false;
            rows = totalChanges();
        }
        StoreTransaction transaction = store.begin();
        return (StoreTransaction) Proxy.newProxyInstance(
                CountingStore.class.getClassLoader(),
                new Class<?>[] {StoreTransaction.class},
                (proxy, method, arguments) -> {
                    try {
                        Object result = method.invoke(transaction, arguments);
                        if (method.getName().equals("commit")) {
                            commits.incrementAndGet();
                        }
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause() == null ? e : e.getCause();
                    }
                });
    }

    private long totalChanges() {
        StoreTransaction transaction = store.begin();
        try (Statement statement =
                        transaction.unwrap(Connection.class).orElseThrow().createStatement();
                ResultSet row = statement.executeQuery("SELECT total_changes()")) {
            return row.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException("the rows could not be counted", e);
        } finally {
            transaction.rollback();
        }
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
