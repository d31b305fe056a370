package dev.holdfast.store.sqlite;

import java.sql.SQLException;

/**
 * Reads on one connection of the pool, valid while the work runs that was given them.
 *
 * <p>Owned by one thread of the pool; anyone else who kept a reference is refused, since two threads on one connection would end each
 * other's snapshots.
 */
final class SnapshotReads extends TableReads {

    private final Tables tables;
    private final SqlFailures failures;
    private final Thread owner;
    private boolean open;

    SnapshotReads(Tables tables, SqlFailures failures, Thread owner) {
        this.tables = tables;
        this.failures = failures;
        this.owner = owner;
    }

    /** The snapshot begins; owner thread only. */
    void open() {
        open = true;
    }

    /** The snapshot is over; owner thread only. */
    void close() {
        open = false;
    }

    @Override
    <T> T run(Call<T> call) {
        if (Thread.currentThread() != owner || !open) {
            throw new IllegalStateException(
                    "These reads are over: use them only inside the work given to read(), on its thread.");
        }
        try {
            return call.on(tables);
        } catch (SQLException e) {
            throw failures.ofStatement(e);
        }
    }
}
