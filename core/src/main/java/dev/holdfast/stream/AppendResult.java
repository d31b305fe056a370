package dev.holdfast.stream;

import java.util.OptionalLong;

/**
 * Where an append stands.
 *
 * @param firstSeq sequence number of its first chunk; for a duplicate, the tail
 * @param nextSeq the position after its last chunk, which is the tail; for a duplicate, the tail
 * @param duplicate true if it was done before, and nothing was written now: the producer had sent it, or the stream was settled already and
 *     this asked for nothing else
 * @param settled whether the stream is settled now
 * @param producerSeq the highest sequence accepted from the producer in its newest epoch; empty if the append named no producer
 */
public record AppendResult(long firstSeq, long nextSeq, boolean duplicate, boolean settled, OptionalLong producerSeq) {}
