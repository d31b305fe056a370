package dev.holdfast.testkit.sim;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.CursorAhead;
import dev.holdfast.error.HoldfastException.CursorTooOld;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.stream.Chunk;
import dev.holdfast.stream.Cursor;
import dev.holdfast.stream.ReadBatch;
import dev.holdfast.stream.StreamReader;
import dev.holdfast.stream.StreamState;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A reader and what it must see. Its findings are checked after the operations of the same step were applied to the model: what it saw must
 * be there by then, since nothing is shown before the commit whose operations are answered with it.
 */
final class SimReader implements AutoCloseable {

    private final StreamReader api;
    private final long incarnation;
    private final boolean follows;
    private long next;
    private boolean over;
    private boolean closed;
    private @Nullable Thread thread;

    SimReader(StreamReader api, boolean follows) {
        this.api = api;
        this.incarnation = api.cursor().incarnation();
        this.next = api.cursor().seq();
        this.follows = follows;
    }

    Cursor cursor() {
        return new Cursor(incarnation, next);
    }

    boolean follows() {
        return follows;
    }

    boolean over() {
        return over;
    }

    void runOn(Thread fiber) {
        thread = fiber;
    }

    /** Stops following; the process is gone. */
    void abandon() {
        closed = true;
        over = true;
        if (thread != null && thread != Thread.currentThread()) {
            thread.interrupt();
        }
    }

    boolean closed() {
        return closed;
    }

    @Override
    public void close() {
        closed = true;
        abandon();
        api.close();
    }

    ReadBatch read(int maxBytes) {
        return api.read(maxBytes);
    }

    ReadBatch awaitNext(int maxBytes) throws InterruptedException {
        return api.next(maxBytes);
    }

    /** EVERY-CURSOR, VISIBLE-IS-DURABLE: exactly the next chunks of the canonical sequence. */
    void check(ReadBatch batch, Model model) {
        ModelStream stream = stream(model);
        for (Chunk chunk : batch.chunks()) {
            Violation.unless(
                    chunk.seq() == next, "a reader of %s expected chunk %d, got %d", stream.name, next, chunk.seq());
            Violation.unless(
                    next < stream.tail(),
                    "VISIBLE-IS-DURABLE: a reader of %s saw chunk %d, but only %d are durable",
                    stream.name,
                    next,
                    stream.tail());
            checkSame(stream, chunk);
            next++;
        }
        Violation.unless(batch.nextSeq() == next, "a batch ends at %d, its chunks at %d", batch.nextSeq(), next);
        Violation.unless(
                batch.tail() <= stream.tail(),
                "VISIBLE-IS-DURABLE: a reader saw the tail %d of %s, durable are %d",
                batch.tail(),
                stream.name,
                stream.tail());
        if (batch.state() != StreamState.LIVE) {
            Violation.unless(
                    batch.state() == stream.state,
                    "a reader saw %s as %s, it is %s",
                    stream.name,
                    batch.state(),
                    stream.state);
        }
        if (batch.ended()) {
            Violation.unless(
                    next == stream.tail(),
                    "a reader of %s was told of the end at %d of %d",
                    stream.name,
                    next,
                    stream.tail());
            over = true;
        }
    }

    private static void checkSame(ModelStream stream, Chunk chunk) {
        byte[] expected = stream.chunks.get((int) chunk.seq());
        Violation.unless(
                ByteBuffer.wrap(expected).equals(chunk.bytes()),
                "EXACT-PREFIX: chunk %d of %s is not what was appended",
                chunk.seq(),
                stream.name);
    }

    /** A refusal must be one that the model explains. */
    void check(HoldfastException error, Model model, long now, long maxLingerMillis) {
        ModelStream stream = stream(model);
        boolean explained = switch (error) {
            case CursorTooOld e -> next < e.first() && Retentions.adopt(stream, e.first(), now) == null;
            case CursorAhead e -> next > stream.tail();
            case StreamNotFound e ->
                stream.mayBeExpired(now) || (stream.gone && mayBeCut(stream, now, maxLingerMillis));
            default -> false;
        };
        if (!explained) {
            throw new Violation(
                    "a reader of %s at %d of %d was refused without a reason: %s"
                            .formatted(stream.name, next, stream.tail(), error),
                    error);
        }
        over = true;
    }

    private boolean mayBeCut(ModelStream stream, long now, long maxLingerMillis) {
        boolean deletedWhileLive = stream.live() && next == stream.tail();
        return deletedWhileLive || now >= stream.goneAt + maxLingerMillis || stream.expires();
    }

    /** NO-SEAM: at rest a follower has all there is. */
    void checkAtRest(Model model) {
        ModelStream stream = stream(model);
        if (stream.expires()) {
            return; // it may have ended at a moment that the model does not know
        }
        Violation.unless(
                over || next == stream.tail(),
                "NO-SEAM: a follower of %s waits at %d, the tail is %d",
                stream.name,
                next,
                stream.tail());
        Violation.unless(
                over || (stream.live() && !stream.gone),
                "NO-SEAM: a follower of %s waits though the stream ended",
                stream.name);
    }

    private ModelStream stream(Model model) {
        return model.incarnation(incarnation)
                .orElseThrow(
                        () -> new Violation("a reader reads an incarnation that was never opened: " + incarnation));
    }
}
