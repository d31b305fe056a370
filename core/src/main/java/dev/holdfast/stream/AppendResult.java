package dev.holdfast.stream;

/**
 * Where an append stands.
 *
 * @param firstSeq sequence number of its first chunk; for a duplicate, the tail
 * @param nextSeq the position after its last chunk; for a duplicate, the tail
 * @param duplicate true if the producer had sent it before, and nothing was written now
 */
public record AppendResult(long firstSeq, long nextSeq, boolean duplicate) {}
