package dev.holdfast.store.postgres;

import dev.holdfast.error.HoldfastException.StoreFull;
import java.sql.SQLException;

/** A shard's keys: the shard's number above, a counter below, so that a key tells where its rows are. */
final class KeyTable {

    private static final String RESERVE =
            "UPDATE @keys SET next = greatest(next, ?) + ? WHERE shard = ? RETURNING next";

    private final Pipeline pipeline;
    private final int shard;

    KeyTable(Pipeline pipeline, int shard) {
        this.pipeline = pipeline;
        this.shard = shard;
    }

    /**
     * Returns the first of so many numbers that were never handed out.
     *
     * @param leastFresh the least number that this writer never handed out, in transactions that were rolled back either
     */
    long reserve(int count, long leastFresh) throws SQLException {
        long end = pipeline.number(RESERVE, leastFresh, count, shard);
        if (end <= 0) {
            throw new SQLException("shard " + shard + " has no row in the table of keys");
        }
        if (end > 1L << PostgresLimits.KEY_BITS) {
            throw new StoreFull(
                    "Shard %d has handed out all its keys. Create sessions that land on other shards.".formatted(shard),
                    new SQLException("next key is " + end));
        }
        return end - count;
    }

    static long key(int shard, long number) {
        return ((long) shard << PostgresLimits.KEY_BITS) | number;
    }
}
