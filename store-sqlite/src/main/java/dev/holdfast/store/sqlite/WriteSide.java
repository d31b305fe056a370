package dev.holdfast.store.sqlite;

import dev.holdfast.store.FailStop;
import dev.holdfast.store.Store.RecoverySink;
import dev.holdfast.store.Time;
import java.sql.SQLException;

/**
 * What write transactions share and leave to each other: the connection, the end of the log, and the keys handed out.
 *
 * <p>Belongs to the committer's thread.
 */
final class WriteSide {

    private final Statements statements;
    private final Tables tables;
    private final SqlFailures failures;
    private final FailStop failStop;
    private final Time time;
    private final Ownership ownership;
    private final Reserve reserve;

    /** Position of the newest committed log entry. */
    private long lastPosition;
    /** The least key that this process never handed out, in transactions that were rolled back either. */
    private long leastFreshKey = 1;

    WriteSide(Statements statements, SqlFailures failures, FailStop failStop, Time time, Reserve reserve)
            throws SQLException {
        this.reserve = reserve;
        this.statements = statements;
        this.tables = new Tables(statements);
        this.failures = failures;
        this.failStop = failStop;
        this.time = time;
        this.ownership = new Ownership(tables.meta, failStop);
        this.lastPosition = tables.journal.last();
    }

    Statements statements() {
        return statements;
    }

    Tables tables() {
        return tables;
    }

    SqlFailures failures() {
        return failures;
    }

    FailStop failStop() {
        return failStop;
    }

    Time time() {
        return time;
    }

    Ownership ownership() {
        return ownership;
    }

    Reserve reserve() {
        return reserve;
    }

    /**
     * Hands out the log and makes this store the one that may write, in one transaction: whoever wrote before is noticed by then, and nobody
     * writes afterwards without noticing.
     */
    void recover(RecoverySink sink) throws SQLException {
        statements.run("BEGIN IMMEDIATE");
        boolean committed = false;
        try {
            lastPosition = tables.journal.last();
            tables.journal.recover(sink);
            committed = commitClaim();
        } finally {
            if (!committed) {
                endQuietly();
            }
        }
    }

    private boolean commitClaim() throws SQLException {
        try {
            long number = ownership.claim();
            statements.run("COMMIT");
            ownership.claimed(number);
            return true;
        } catch (SQLException e) {
            if (!SqlFailures.isFull(e)) {
                throw e;
            }
            ownership.notClaimed(e);
            return false;
        }
    }

    private void endQuietly() {
        try {
            statements.run("ROLLBACK");
        } catch (SQLException e) {
            if (!SqlFailures.isNoTransaction(e)) { // SQLite may have rolled back by itself
                throw failStop.poison(e);
            }
        }
    }

    long lastPosition() {
        return lastPosition;
    }

    /** A log entry is durable. */
    void appended(long position) {
        if (position != lastPosition + 1) {
            throw new AssertionError("log entry " + position + " follows " + lastPosition);
        }
        lastPosition = position;
    }

    /** Reserves keys in the transaction that is open. If it is rolled back, they are lost all the same. */
    long reserveKeys(int count) throws SQLException {
        long first = Math.max(leastFreshKey, tables.meta.get(MetaTable.NEXT_KEY));
        leastFreshKey = first + count;
        tables.meta.set(MetaTable.NEXT_KEY, leastFreshKey);
        return first;
    }
}
