package dev.holdfast.store.postgres;

import dev.holdfast.error.HoldfastException.StorePoisoned;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The leases. A writer's transaction locks its shard's row FOR SHARE until it ends; a taker's update of the epoch waits for that, and a writer
 * that waited for a taker finds the new epoch, as the server looks at a row again when it got its lock.
 */
final class ShardTable {

    private static final String FENCE = """
            SELECT pg_current_xact_id()::text, set_config('lock_timeout', ?, true), set_config('statement_timeout', ?, true),
              set_config('idle_in_transaction_session_timeout', ?, true)
            FROM @shards WHERE shard = ? AND epoch = ? AND writer = ? FOR SHARE""";
    private static final String ENTER = "UPDATE @shards SET writer = ? WHERE shard = ? AND epoch = ? RETURNING writer";
    private static final String EPOCH = "SELECT epoch FROM @shards WHERE shard = ?";
    private static final String TAKE = "UPDATE @shards SET epoch = epoch + 1 WHERE shard = ? RETURNING epoch";
    private static final String CHANGE_WRITER = """
            UPDATE @shards SET writer = ? WHERE shard = ? AND epoch = ? AND writer IN (?, ?) RETURNING writer""";
    private static final String FATE = "SELECT pg_xact_status(?::text::xid8)";
    private static final String IS_TO_COME =
            "SELECT CASE WHEN ?::text::xid8 >= pg_snapshot_xmax(pg_current_snapshot()) THEN 1 ELSE 0 END";
    private static final String HAS_SEGMENT = "SELECT 1 FROM @segments WHERE shard = ? AND stream = ? AND position = ?";

    private final Pipeline pipeline;
    private final int shard;

    ShardTable(Pipeline pipeline, int shard) {
        this.pipeline = pipeline;
        this.shard = shard;
    }

    /**
     * Locks the lease until the transaction ends; goes with the next statement.
     *
     * @param xid takes the transaction's number, by which its fate can be asked
     */
    void fence(Lease lease, Timeouts timeouts, Consumer<String> xid) throws SQLException {
        pipeline.laterQuery(
                rows -> {
                    if (!rows.next()) {
                        throw lost(shard, lease.epoch());
                    }
                    xid.accept(Pipeline.text(rows, 1));
                    return true;
                },
                FENCE,
                timeouts.lock(),
                timeouts.statement(),
                timeouts.idle(),
                shard,
                lease.epoch(),
                lease.writer());
    }

    /** The words for a writer whose lease is another's now. */
    static StorePoisoned lost(int shard, long epoch) {
        return StorePoisoned.ofLostLease(
                "The lease of shard %d was taken over: this store has epoch %d, which is not the current one. It writes no more; nothing was changed."
                        .formatted(shard, epoch),
                new IllegalStateException("stale epoch " + epoch));
    }

    /** Becomes the one writer of this epoch. Returns false if the epoch is not the current one. */
    boolean enter(Lease lease) throws SQLException {
        return pipeline.first(row -> row.getLong(1), ENTER, lease.writer(), shard, lease.epoch())
                .isPresent();
    }

    /** Takes the lease from whoever has it, and returns the new epoch. */
    Optional<Long> take() throws SQLException {
        return pipeline.first(row -> row.getLong(1), TAKE, shard);
    }

    Optional<Long> epoch() throws SQLException {
        return pipeline.first(row -> row.getLong(1), EPOCH, shard);
    }

    /**
     * Waits for whatever transaction of this lease is still open, and becomes another writer, so that nothing follows that is still on its way.
     *
     * @return false if the lease is another's
     */
    boolean changeWriter(Lease from, Lease to) throws SQLException {
        return pipeline.first(
                        row -> row.getLong(1),
                        CHANGE_WRITER,
                        to.writer(),
                        shard,
                        from.epoch(),
                        from.writer(),
                        to.writer())
                .isPresent();
    }

    /** What became of a transaction: {@code committed}, {@code aborted}, {@code in progress}, or empty if it is too old to be known. */
    Optional<String> fate(String xid) throws SQLException {
        return pipeline.first(ShardTable::status, FATE, xid).filter(status -> !status.isEmpty());
    }

    /** Whether the server has not yet given out this number, or that of a transaction that is still open; nobody may ask for the fate of such a one. */
    boolean isToCome(String xid) throws SQLException {
        return pipeline.number(IS_TO_COME, xid) == 1;
    }

    private static String status(ResultSet row) throws SQLException {
        String status = row.getString(1);
        return status == null ? "" : status;
    }

    boolean hasSegment(long stream, long position) throws SQLException {
        return pipeline.number(HAS_SEGMENT, shard, stream, position) == 1;
    }
}
