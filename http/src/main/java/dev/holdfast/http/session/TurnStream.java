package dev.holdfast.http.session;

import dev.holdfast.error.HoldfastException.CursorTooOld;
import dev.holdfast.error.HoldfastException.StreamGone;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.stream.Chunk;
import dev.holdfast.stream.ReadBatch;
import dev.holdfast.stream.StreamReader;
import dev.holdfast.uimessage.ChunkCompactor;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * One turn's stream, as a connection follows it: from where the client was, or from its beginning and then merged as far as the client is behind.
 * Owned by the connection's part. Close it.
 */
final class TurnStream implements AutoCloseable {

    private final String turnId;
    private final StreamReader reader;
    private final byte[] head;

    /** What lies below comes merged. */
    private final long mergedBelow;

    private boolean ended;

    private TurnStream(String turnId, StreamReader reader, long mergedBelow) {
        this.turnId = turnId;
        this.reader = reader;
        this.head = EventsFrame.head(turnId);
        this.mergedBelow = mergedBelow;
    }

    /** From where the client was. */
    static TurnStream after(String turnId, StreamReader reader) {
        return new TurnStream(turnId, reader, 0);
    }

    /** From the beginning, for a client that has none of it. */
    static TurnStream whole(String turnId, StreamReader reader) {
        long behind = reader.tail() - reader.cursor().seq();
        return new TurnStream(turnId, reader, behind >= TransportLimits.MIN_MERGED_CHUNKS ? reader.tail() : 0);
    }

    String turnId() {
        return turnId;
    }

    long incarnation() {
        return reader.cursor().incarnation();
    }

    /** The next chunk to send. */
    long position() {
        return reader.cursor().seq();
    }

    /** Whether all of it was copied, or the rest is gone. */
    boolean isEnded() {
        return ended;
    }

    /**
     * Copies what is there and fits.
     *
     * @return whether there may be more right now
     */
    boolean copy(EventsFrame frame, ChunkJson json) throws InterruptedException {
        while (!ended && frame.room() > 0) {
            Optional<ReadBatch> found = read(frame.room());
            if (found.isEmpty()) {
                return false;
            }
            boolean all = add(frame, json, found.get().chunks());
            ended = all && found.get().ended();
            if (all && !ended && found.get().upToDate()) {
                return false;
            }
        }
        return !ended;
    }

    private Optional<ReadBatch> read(int bytes) throws InterruptedException {
        try {
            return reader.next(bytes, Duration.ZERO);
        } catch (StreamNotFound | StreamGone | CursorTooOld e) {
            ended = true; // what is missing is told by the message
            return Optional.empty();
        }
    }

    /** Returns whether all of them fitted. */
    private boolean add(EventsFrame frame, ChunkJson json, List<Chunk> chunks) {
        if (!chunks.isEmpty() && chunks.getFirst().seq() < mergedBelow) {
            ChunkCompactor.merged(chunks.stream().map(Chunk::toByteArray).toList())
                    .forEach(chunk -> frame.addChunk(head, -1, ChunkJson.of(chunk)));
            return true;
        }
        for (Chunk chunk : chunks) {
            if (frame.room() <= 0) {
                reader.seek(chunk.seq());
                return false;
            }
            frame.addChunk(head, chunk.seq(), json.of(incarnation(), chunk));
        }
        return true;
    }

    void onChange(Runnable wake) {
        if (!ended) {
            reader.onChange(wake);
        }
    }

    void cancel(Runnable wake) {
        reader.cancel(wake);
    }

    @Override
    public void close() {
        reader.close();
    }
}
