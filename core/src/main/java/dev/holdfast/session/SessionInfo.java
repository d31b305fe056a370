package dev.holdfast.session;

import dev.holdfast.store.SessionRow;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A session as it stands.
 *
 * @param id unique per tenant
 * @param title set, or made of the first message of its user; null if there is neither
 * @param createdAt when it was created
 * @param updatedAt when it last had a message or turn
 * @param position for the next page of a listing
 */
public record SessionInfo(String id, @Nullable String title, Instant createdAt, Instant updatedAt, Position position) {

    /** Where a listing goes on; opaque. */
    public record Position(long updatedAt, long key) {}

    static SessionInfo of(SessionRow row) {
        return new SessionInfo(
                row.id(),
                row.title(),
                Instant.ofEpochMilli(row.createdAt()),
                Instant.ofEpochMilli(row.updatedAt()),
                new Position(row.updatedAt(), row.key()));
    }
}
