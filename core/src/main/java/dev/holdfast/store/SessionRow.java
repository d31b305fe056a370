package dev.holdfast.store;

import org.jspecify.annotations.Nullable;

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
 * @param title what lists show of it, set or made of its first message; or null
 */
public record SessionRow(
        long key,
        String tenant,
        String id,
        boolean deleted,
        long createdAt,
        long updatedAt,
        long epoch,
        @Nullable String title) {

    /** A session without a title. */
    public SessionRow(long key, String tenant, String id, boolean deleted, long createdAt, long updatedAt, long epoch) {
        this(key, tenant, id, deleted, createdAt, updatedAt, epoch, null);
    }

    /** The same after something happened in it. */
    public SessionRow touched(long at) {
        return new SessionRow(key, tenant, id, deleted, createdAt, at, epoch, title);
    }

    /** The same with another title. */
    public SessionRow titled(@Nullable String text) {
        return new SessionRow(key, tenant, id, deleted, createdAt, updatedAt, epoch, text);
    }

    /** The same, deleted at this time. */
    public SessionRow deletedAt(long at) {
        return new SessionRow(key, tenant, id, true, createdAt, at, epoch, title);
    }
}
