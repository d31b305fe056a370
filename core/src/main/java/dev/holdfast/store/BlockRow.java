package dev.holdfast.store;

/**
 * A sealed block: consecutive chunks of one stream, written once. A stream's blocks are contiguous: each starts where the one before ends.
 *
 * @param streamKey the stream
 * @param fromSeq first chunk, inclusive
 * @param toSeq after the last chunk, exclusive
 * @param lastAt wall clock, ms: none of its chunks is newer
 * @param bytesTo payload of all chunks of the stream below {@code toSeq} that there ever were
 * @param body the chunks as {@link BlockFormat} packs them, with a checksum
 */
public record BlockRow(long streamKey, long fromSeq, long toSeq, long lastAt, long bytesTo, byte[] body) {}
