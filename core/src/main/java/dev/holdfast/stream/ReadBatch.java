package dev.holdfast.stream;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one read found: consecutive chunks and the state of the stream at that moment.
 *
 * @param chunks consecutive chunks from the asked position on; possibly none
 * @param nextSeq the position after the last chunk, to read from next
 * @param tail the stream's durable tail, exclusive
 * @param state the stream's state
 * @param error the reason of an errored stream, or null
 */
public record ReadBatch(
        List<Chunk> chunks,
        long nextSeq,
        long tail,
        StreamState state,
        @Nullable String error) {

    /** Whether nothing more can be read right now. */
    public boolean upToDate() {
        return nextSeq == tail;
    }

    /** Whether the stream is settled and every chunk was read. */
    public boolean ended() {
        return state != StreamState.LIVE && upToDate();
    }
}
