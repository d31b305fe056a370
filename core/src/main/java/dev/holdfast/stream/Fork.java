package dev.holdfast.stream;

import java.util.OptionalLong;

/**
 * Where a new stream branches off another one. It begins with the chunks below that point, under the same sequence numbers, and knows nothing
 * of what the source gets later.
 *
 * @param source name of the stream to fork
 * @param at the anchor: a position of the source; empty for its tail
 * @param past how far past the anchor, in {@code unit}s; 0 for the anchor itself
 * @param unit what {@code past} counts
 */
public record Fork(String source, OptionalLong at, long past, Unit unit) {

    /** What a distance past the anchor counts. */
    public enum Unit {
        /** Chunks after the anchor. */
        CHUNKS,
        /** Bytes of the one chunk at the anchor; the fork gets that first part of it as a chunk of its own. */
        BYTES
    }

    /** At the source's tail. */
    public static Fork of(String source) {
        return new Fork(source, OptionalLong.empty(), 0, Unit.CHUNKS);
    }

    public Fork at(long position) {
        return new Fork(source, OptionalLong.of(position), past, unit);
    }

    public Fork past(long distance, Unit counted) {
        return new Fork(source, at, distance, counted);
    }
}
