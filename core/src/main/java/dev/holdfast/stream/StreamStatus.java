package dev.holdfast.stream;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A stream as it stands.
 *
 * @param name its name
 * @param state what its producer declared
 * @param error the reason of an errored stream, or null
 * @param tag the application's label, or null
 * @param contentType media type of the chunks
 * @param metadata the application's bytes; do not change them
 * @param incarnation number of this creation; a stream made anew under the same name has another
 * @param epoch the current writer's epoch
 * @param firstSeq the first position that can be read
 * @param tail the durable tail, exclusive
 * @param createdAt when it was opened
 * @param lastAppendAt when its last chunk became durable, or {@code createdAt}
 * @param closedAt when it was settled, or null
 * @param ttl its sliding time to live, or null
 * @param expiresAt when it expires if nothing touches it, or null; without a {@code ttl} it was fixed at the creation
 * @param retention how much of it is kept, or null for all of it
 * @param position for the next page of a listing
 */
@SuppressWarnings("ArrayRecordComponent") // opaque bytes, handed through
public record StreamStatus(
        String name,
        StreamState state,
        @Nullable String error,
        @Nullable String tag,
        String contentType,
        byte[] metadata,
        long incarnation,
        long epoch,
        long firstSeq,
        long tail,
        Instant createdAt,
        Instant lastAppendAt,
        @Nullable Instant closedAt,
        @Nullable Duration ttl,
        @Nullable Instant expiresAt,
        @Nullable Retention retention,
        Position position) {

    /** Where a listing goes on; opaque. */
    public record Position(long createdAt, long key) {}

    /** Whether it takes no more chunks. */
    public boolean settled() {
        return state != StreamState.LIVE;
    }
}
