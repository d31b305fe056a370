package dev.holdfast.store.sqlite;

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

    /** Position of the newest committed log entry. */
    private long lastPosition;
    /** The least key that this process never handed out, in transactions that were rolled back either. */
    private long leastFreshKey = 1;

    WriteSide(Statements statements, SqlFailures failures, FailStop failStop, Time time) throws SQLException {
        this.statements = statements;
        this.tables = new Tables(statements);
        this.failures = failures;
        this.failStop = failStop;
        this.time = time;
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
