package dev.holdfast.stream;

import java.util.Optional;

/**
 * The application's own writes inside Holdfast's transaction. Runs on the committer's thread, in a transaction of its own: it must only
 * write, and be done within {@link StreamLimits#maxCallback}. It must not call Holdfast. It may run again if the commit failed and is
 * retried; what it wrote was rolled back then.
 */
@FunctionalInterface
public interface CommitCallback {

    /**
     * @throws Exception to roll everything back
     */
    void run(CommitHandle handle) throws Exception;

    /** Access to the open transaction; valid during the callback only. */
    interface CommitHandle {

        /**
         * The store's own handle; with the SQLite and PostgreSQL stores {@code java.sql.Connection}. Committing, rolling back or closing it
         * is refused.
         */
        <T> Optional<T> unwrap(Class<T> type);
    }
}
