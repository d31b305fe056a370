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

    /** How long the end of a stream that has ended on disk may take to show in memory; asked for again then. */
    private static final Duration END_SHOWS = Duration.ofSeconds(1);

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
     * @param toItsEnd whether the stream is known to have ended, so that its end is waited for should it not show yet
     * @return whether there may be more right now
     */
    boolean copy(EventsFrame frame, ChunkJson json, boolean toItsEnd) throws InterruptedException {
        while (!ended && frame.room() > 0) {
            Optional<ReadBatch> found = read(frame.room(), toItsEnd ? END_SHOWS : Duration.ZERO);
            if (found.isEmpty()) {
                return toItsEnd && !ended;
            }
            add(frame, json, found.get().chunks());
            ended = found.get().ended();
            if (!ended && !toItsEnd && found.get().upToDate()) {
                return false;
            }
        }
        return !ended;
    }

    private Optional<ReadBatch> read(int bytes, Duration patience) throws InterruptedException {
        try {
            return reader.next(bytes, patience);
        } catch (StreamNotFound | StreamGone | CursorTooOld e) {
            ended = true; // what is missing is told by the message
            return Optional.empty();
        }
    }

    private void add(EventsFrame frame, ChunkJson json, List<Chunk> chunks) {
        if (!chunks.isEmpty() && chunks.getFirst().seq() < mergedBelow) {
            ChunkCompactor.compact(chunks.stream().map(Chunk::toByteArray).toList())
                    .forEach(chunk -> frame.addChunk(head, -1, ChunkJson.of(chunk)));
        } else {
            for (Chunk chunk : chunks) {
                frame.addChunk(head, chunk.seq(), json.of(incarnation(), chunk.seq(), chunk.toByteArray()));
            }
        }
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
