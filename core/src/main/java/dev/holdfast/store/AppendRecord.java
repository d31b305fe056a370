package dev.holdfast.store;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one append adds to the log: consecutive chunks of one stream, with what their sender said of them.
 *
 * @param streamKey the stream's key in the store; never reused
 * @param epoch the writer's epoch, which a store that several nodes share checks inside the transaction that writes (ONE-WRITER)
 * @param firstSeq sequence number of the first chunk, inclusive
 * @param chunks the chunks' bytes; possibly empty when only a producer's state moves
 * @param producer the idempotent producer's new state, or null
 * @param order the sender's own order of this append, greater than the one before, or null
 */
public record AppendRecord(
        long streamKey,
        long epoch,
        long firstSeq,
        List<byte[]> chunks,
        @Nullable ProducerMark producer,
        @Nullable String order) {

    /** An append that says nothing but its chunks. */
    public static AppendRecord of(long streamKey, long epoch, long firstSeq, List<byte[]> chunks) {
        return new AppendRecord(streamKey, epoch, firstSeq, chunks, null, null);
    }

    /** The sequence number after the last chunk, exclusive. */
    public long nextSeq() {
        return firstSeq + chunks.size();
    }

    /**
     * An idempotent producer's position.
     *
     * @param id the producer's name, unique within the stream
     * @param epoch the producer's own epoch
     * @param seq the last sequence number accepted from it
     */
    public record ProducerMark(String id, long epoch, long seq) {}
}
