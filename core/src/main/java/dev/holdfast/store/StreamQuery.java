package dev.holdfast.store;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which streams to list, newest first by {@code (createdAt, key)}.
 *
 * @param tenant the tenant
 * @param states wanted states; discarded and deleted streams are never listed
 * @param tag wanted tag, or null for any
 * @param after the last row of the page before, or null for the first page
 * @param limit rows at most
 */
public record StreamQuery(
        String tenant,
        Set<StreamRow.State> states,
        @Nullable String tag,
        @Nullable Position after,
        int limit) {

    /** Keyset position: the rows strictly older than this one follow. */
    public record Position(long createdAt, long key) {}
}
