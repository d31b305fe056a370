package dev.holdfast.stream;

import dev.holdfast.error.HoldfastException.InvalidArgument;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How much of a stream is kept. What is not kept is trimmed by whole blocks, oldest first: reads below the first chunk that is left are
 * answered with {@code CursorTooOld}, and the rows are deleted afterwards. Survives restarts; a settled stream goes on being trimmed.
 *
 * @param maxAge a chunk can be read for at least so long, and at most a quarter longer (while the store is open); null for no limit
 * @param maxBytes after each sealed block, sealed chunks of so many bytes are kept, and at most one block more; 0 for no limit. Chunks that are
 *     not sealed yet (up to {@link StreamLimits#MAX_BLOCK_BYTES}) come on top
 */
public record Retention(@Nullable Duration maxAge, long maxBytes) {

    public static Retention ofAge(Duration age) {
        return new Retention(age, 0);
    }

    public static Retention ofBytes(long bytes) {
        return new Retention(null, bytes);
    }

    long maxAgeMillis() {
        return maxAge == null ? 0 : maxAge.toMillis();
    }

    /**
     * Checks the limits by themselves; creating a stream does so anyway.
     *
     * @throws InvalidArgument if there is none, or one is out of bounds
     */
    public void check() {
        if (maxAge == null && maxBytes == 0) {
            throw new InvalidArgument(
                    "A retention limits the age or the bytes, or both. Leave it out to keep everything.");
        }
        if (maxAge != null
                && (maxAge.compareTo(StreamLimits.MIN_RETAINED_AGE) < 0
                        || maxAge.compareTo(StreamLimits.MAX_LIFE) > 0)) {
            throw new InvalidArgument("A retained age is at least %d s and at most %d days; got %s."
                    .formatted(StreamLimits.MIN_RETAINED_AGE.toSeconds(), StreamLimits.MAX_LIFE.toDays(), maxAge));
        }
        if (maxBytes < 0) {
            throw new InvalidArgument("Retained bytes are not negative; got " + maxBytes + ".");
        }
    }
}
