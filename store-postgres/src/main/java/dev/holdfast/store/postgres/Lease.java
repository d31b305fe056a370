package dev.holdfast.store.postgres;

/**
 * What a writer must still find in its shard's row for its transaction to count (ONE-WRITER).
 *
 * @param epoch the lease's; grows with each holder
 * @param writer drawn by this open store, and anew after a commit of unknown fate
 */
record Lease(long epoch, long writer) {}
