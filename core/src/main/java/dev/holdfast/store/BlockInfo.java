package dev.holdfast.store;

/**
 * What is known of a sealed block without its chunks; see {@link BlockRow}.
 *
 * @param fromSeq first chunk, inclusive
 * @param toSeq after the last chunk, exclusive
 * @param lastAt wall clock, ms: none of its chunks is newer
 * @param bytesTo payload of all chunks of the stream below {@code toSeq} that there ever were
 */
public record BlockInfo(long fromSeq, long toSeq, long lastAt, long bytesTo) {}
