package dev.holdfast.mcp.events;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.stream.Chunk;
import dev.holdfast.stream.ReadBatch;
import dev.holdfast.stream.StreamReader;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads one stream of a session from a position on and goes on as it grows: what is stored and what is still to come are one loop over the log
 * (NO-SEAM), without a limit on how much is replayed. It holds no queue; of a message that is larger than one read it holds what it has of it.
 *
 * <p>One thread at a time, except {@link #close}.
 */
public final class EventReader implements AutoCloseable {

    private final StreamReader reader;
    private final EventIds.Writer ids;

    /** Where reading goes on for who has received every event that was returned. */
    private long position;

    private @Nullable ByteArrayOutputStream begun;
    private int begunKind;

    EventReader(StreamReader reader, EventIds.Writer ids) {
        this.reader = reader;
        this.ids = ids;
        this.position = reader.cursor().seq();
    }

    /**
     * Waits until there is a message or the stream ended.
     *
     * @param maxBytes stop before the message that would exceed it; a single larger one is still returned
     * @throws HoldfastException.StreamNotFound if the stream was cleared
     * @throws HoldfastException.CursorTooOld if what comes next was trimmed away
     * @throws HoldfastException.Closed if this reader or the instance was closed
     */
    public EventBatch next(int maxBytes) throws InterruptedException {
        while (true) {
            EventBatch batch = batch(reader.next(maxBytes));
            if (!batch.events().isEmpty() || batch.ended()) {
                return batch;
            }
        }
    }

    /** As {@link #next(int)}, for at most {@code timeout} each time it waits; empty if nothing came by then. */
    public Optional<EventBatch> next(int maxBytes, Duration timeout) throws InterruptedException {
        while (true) {
            Optional<ReadBatch> read = reader.next(maxBytes, timeout);
            if (read.isEmpty()) {
                return Optional.empty();
            }
            EventBatch batch = batch(read.get());
            if (!batch.events().isEmpty() || batch.ended()) {
                return Optional.of(batch);
            }
        }
    }

    /** What is there, without waiting. */
    public EventBatch read(int maxBytes) {
        while (true) {
            EventBatch batch = batch(reader.read(maxBytes));
            if (!batch.events().isEmpty() || batch.ended() || batch.upToDate()) {
                return batch;
            }
        }
    }

    private EventBatch batch(ReadBatch read) {
        List<McpEvent> events = new ArrayList<>(read.chunks().size());
        for (Chunk chunk : read.chunks()) {
            ByteBuffer message = message(chunk);
            if (message != null) {
                position = chunk.seq() + 1;
                events.add(new McpEvent(ids.id(position, 0), message));
            }
        }
        return new EventBatch(events, read.upToDate(), read.ended());
    }

    /** The message that ends with this chunk, or null. Of one that was trimmed in part, the rest is skipped. */
    private @Nullable ByteBuffer message(Chunk chunk) {
        int kind = Framing.kind(chunk);
        int part = Framing.part(chunk);
        ByteBuffer bytes = chunk.bytes().position(1);
        if (part == Framing.WHOLE) {
            return kind == Framing.MESSAGE ? bytes.slice() : null;
        }
        if (part == Framing.FIRST) {
            begun = new ByteArrayOutputStream(2 * bytes.remaining());
            begunKind = kind;
        }
        ByteArrayOutputStream sum = begun;
        if (sum == null) {
            return null;
        }
        byte[] piece = new byte[bytes.remaining()];
        bytes.get(piece);
        if (begunKind == Framing.MESSAGE) {
            sum.writeBytes(piece);
        }
        if (part != Framing.LAST) {
            return null;
        }
        begun = null;
        return kind == Framing.MESSAGE ? ByteBuffer.wrap(sum.toByteArray()).asReadOnlyBuffer() : null;
    }

    /** The position after the last event that was returned. */
    public long position() {
        return position;
    }

    /**
     * An id of the place where this reader stands: who comes back with it misses nothing and receives nothing twice.
     *
     * @param nonce tells ids of the same place apart; not 0
     */
    public String id(long nonce) {
        return ids.id(position, nonce);
    }

    /** Asks to be told once of the next change; see {@link StreamReader#onChange}. */
    public void onChange(Runnable wake) {
        reader.onChange(wake);
    }

    /** Takes back an {@link #onChange} that did not run yet. */
    public void cancel(Runnable wake) {
        reader.cancel(wake);
    }

    /** Detaches; the one method that another thread may call. */
    @Override
    public void close() {
        reader.close();
    }
}
