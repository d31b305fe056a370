package dev.holdfast.store.postgres;

import dev.holdfast.error.HoldfastException.StorePoisoned;
import dev.holdfast.store.FailStop;
import dev.holdfast.store.Store.RecoverySink;
import dev.holdfast.store.Time;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * What the write transactions of a shard share and leave to each other: the lease, the end of the log, the keys handed out.
 *
 * <p>Belongs to the committer's thread.
 */
final class WriteSide {

    private static final String READ_ONCE = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY";
    /** The whole log may take longer to sort than one statement is allowed otherwise. */
    private static final String WITHOUT_LIMIT = "SET LOCAL statement_timeout = 0";

    private final int shard;
    private final SchemaName schema;
    private final PostgresSettings settings;
    private final Pool pool;
    private final SqlFailures failures;
    private final FailStop failStop = new FailStop();
    private final Timeouts timeouts;
    private final Fates fates;

    private final long epoch;
    /** None before the log was read. */
    private @Nullable Lease lease;
    /** The server's mark when the shard was entered, or a fate was asked. */
    private long incarnation;
    /** Position of the newest committed log entry. */
    private long lastPosition;
    /** The least key that this store never handed out, in transactions that were rolled back either. */
    private long leastFreshKey = 1;

    private SegmentTable.Swept swept = SegmentTable.Swept.START;

    WriteSide(int shard, long epoch, SchemaName schema, PostgresSettings settings, Pool pool, SqlFailures failures) {
        this.shard = shard;
        this.epoch = epoch;
        this.schema = schema;
        this.settings = settings;
        this.pool = pool;
        this.failures = failures;
        this.timeouts = Timeouts.of(settings);
        this.fates = new Fates(this, settings.commitResolution());
    }

    int shard() {
        return shard;
    }

    Pool pool() {
        return pool;
    }

    Pipeline pipeline(Connection connection) {
        return new Pipeline(connection, schema);
    }

    SqlFailures failures() {
        return failures;
    }

    FailStop failStop() {
        return failStop;
    }

    Timeouts timeouts() {
        return timeouts;
    }

    Fates fates() {
        return fates;
    }

    Time time() {
        return settings.time();
    }

    Lease lease() {
        if (lease == null) {
            throw new IllegalStateException("The log was not read yet; call recover first.");
        }
        return lease;
    }

    void lease(Lease changed) {
        lease = changed;
    }

    /** Which server the transactions of this store have been on, see {@link IncarnationTable}. */
    long incarnation() {
        return incarnation;
    }

    void incarnation(long current) {
        incarnation = current;
    }

    void checkWritable() {
        failStop.check();
        Lease unused = lease();
    }

    /** Another holds the lease: from now on every write is refused. */
    StorePoisoned lost() {
        return failStop.poison(ShardTable.lost(shard, epoch));
    }

    /** A lease of the same epoch that no statement sent so far has. */
    Lease renewed() {
        Lease before = lease();
        long writer = time().randomLong();
        return new Lease(epoch, writer == before.writer() ? writer + 1 : writer);
    }

    /**
     * Becomes the shard's one writer, then hands out the log: whoever wrote before has finished or is refused by then, so the log does not grow
     * under the reader.
     */
    void recover(RecoverySink sink) {
        try {
            Connection connection = pool.take();
            try {
                enter(connection);
                read(connection, sink);
            } catch (SQLException | RuntimeException e) {
                pool.discard(connection);
                throw e;
            }
            pool.giveBack(connection);
        } catch (SQLException e) {
            throw failures.ofStatement(e);
        }
    }

    private void enter(Connection connection) throws SQLException {
        Lease entering = new Lease(epoch, time().randomLong());
        Pipeline pipeline = pipeline(connection);
        incarnation = new IncarnationTable(pipeline).mark(time().randomLong());
        if (!new ShardTable(pipeline, shard).enter(entering)) {
            throw lost();
        }
        lease = entering;
    }

    private void read(Connection connection, RecoverySink sink) throws SQLException {
        connection.setAutoCommit(false);
        Pipeline pipeline = pipeline(connection);
        pipeline.later(READ_ONCE);
        pipeline.later(WITHOUT_LIMIT);
        Tables tables = new Tables(pipeline, shard);
        LogTable.Floor floor = tables.log.floor();
        SegmentTable.Extent extent = tables.segments.extent();
        lastPosition = Math.max(extent.last(), Math.max(floor.known(), floor.released()));
        tables.segments.readAll(floor.released(), extent, new SegmentTable.Entries(sink));
        connection.rollback();
        connection.setAutoCommit(true);
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
    long reserveKeys(Tables tables, int count) throws SQLException {
        long first = tables.keys.reserve(count, leastFreshKey);
        leastFreshKey = first + count;
        return KeyTable.key(shard, first);
    }

    /**
     * Releases the log up to a position, in the transaction that is open. Recovery does not see what is below any more; of the rows, some that
     * nobody else deletes go now, and the others in later calls.
     */
    long releaseLog(Tables tables, long position) throws SQLException {
        long released = tables.log.release(Math.min(position, lastPosition), lastPosition);
        swept = tables.segments.sweep(swept, released);
        return released;
    }
}
