package dev.holdfast.http.sse;

import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.stream.Chunk;
import dev.holdfast.stream.Cursor;
import dev.holdfast.stream.ReadBatch;
import dev.holdfast.stream.StreamReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.Optional;

/**
 * Copies a stream into a connection: replay and live are the same loop, one write for all that a read found. The connection's own thread
 * waits for the stream and for its client; a client that takes nothing holds up nobody else, and catches up in larger batches.
 */
public final class StreamEvents {

    /** Why it stopped. */
    public sealed interface End {

        /** The stream is settled and every chunk of it was written. */
        record Settled(ReadBatch last) implements End {}

        /** The stream was deleted, or discarded and lingered long enough: chunks are missing. */
        record Gone() implements End {}

        /** The connection is old and is to be cut on purpose. */
        record Rotate() implements End {}
    }

    /** How a chunk's bytes become an event's data. */
    @FunctionalInterface
    public interface Encoding {
        ByteBuffer encode(Chunk chunk);

        /** As they are: for text and JSON. */
        static Encoding text() {
            return Chunk::bytes;
        }

        /** For what is no text. */
        static Encoding base64() {
            return chunk -> ByteBuffer.wrap(Base64.getEncoder().encode(chunk.toByteArray()));
        }
    }

    private final SseWriter out;
    private final Encoding encoding;

    public StreamEvents(SseWriter out, Encoding encoding) {
        this.out = out;
        this.encoding = encoding;
    }

    public End copy(StreamReader reader) throws IOException, InterruptedException {
        try {
            do {
                Optional<ReadBatch> found = reader.next(HttpLimits.MAX_EVENT_BATCH_BYTES, out.patience());
                if (found.isEmpty()) {
                    out.idle();
                    continue;
                }
                write(found.get(), reader.cursor().incarnation());
                if (found.get().ended()) {
                    return new End.Settled(found.get());
                }
            } while (!out.rotationDue()); // after a read, so that however short the time, there is progress
            return new End.Rotate();
        } catch (StreamNotFound e) {
            return new End.Gone();
        }
    }

    private void write(ReadBatch batch, long incarnation) throws IOException {
        for (Chunk chunk : batch.chunks()) {
            String next = new Cursor(incarnation, chunk.seq() + 1).token();
            out.frames().event(null, next, encoding.encode(chunk));
        }
        out.flush();
    }
}
