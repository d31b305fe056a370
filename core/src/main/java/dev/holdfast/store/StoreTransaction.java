package dev.holdfast.store;

import java.util.Optional;

/**
 * The open write transaction: all-or-nothing and durable once {@link #commit()} returned. Not thread-safe; the committer's thread alone
 * uses it.
 */
public interface StoreTransaction
        extends StoreReads,
                StreamWrites,
                SessionWrites,
                MessageWrites,
                BlobWrites,
                SearchWrites,
                TurnWrites,
                PropertyWrites {

    /**
     * Makes all changes durable.
     *
     * @return where the appends of this transaction stand in the log
     */
    Receipt commit();

    /** Undoes everything. Harmless when the transaction is already over. */
    void rollback();

    /** The store's own handle, such as {@code java.sql.Connection}, for the application's writes in a commit callback. */
    <T> Optional<T> unwrap(Class<T> type);

    /**
     * What a commit did to the log.
     *
     * @param position the log entry's position, or 0 if nothing was appended
     * @param bytes the entry's size in the log, or 0
     * @param committedAt wall clock, ms, as the entry records it
     */
    record Receipt(long position, int bytes, long committedAt) {}
}
