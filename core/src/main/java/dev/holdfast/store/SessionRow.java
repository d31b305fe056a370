package dev.holdfast.store;

/**
 * A session as its table keeps it.
 *
 * @param key integer key, never reused in the life of a store
 * @param tenant the tenant the id lives in
 * @param id unique per tenant among the sessions that are not deleted
 * @param deleted true while its rows wait for deletion; its id is free again
 * @param createdAt wall clock, ms
 * @param updatedAt wall clock, ms, of the last message or turn
 * @param epoch the lease's epoch, from 1
 */
public record SessionRow(
        long key, String tenant, String id, boolean deleted, long createdAt, long updatedAt, long epoch) {}
