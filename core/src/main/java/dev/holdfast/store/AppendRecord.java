package dev.holdfast.store;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one append adds to the log: consecutive chunks of one stream, with the producer that sent them, if it named itself.
 *
 * @param streamKey the stream's key in the store; never reused
 * @param epoch the writer's epoch, which a store that several nodes share checks inside the transaction that writes (ONE-WRITER)
 * @param firstSeq sequence number of the first chunk, inclusive
 * @param chunks the chunks' bytes; possibly empty when only a producer's state moves
 * @param producer the idempotent producer's new state, or null
 */
public record AppendRecord(
        long streamKey,
        long epoch,
        long firstSeq,
        List<byte[]> chunks,
        @Nullable ProducerMark producer) {

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
