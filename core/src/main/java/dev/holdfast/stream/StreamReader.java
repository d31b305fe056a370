package dev.holdfast.stream;

import dev.holdfast.error.HoldfastException.Closed;
import dev.holdfast.error.HoldfastException.CursorAhead;
import dev.holdfast.error.HoldfastException.CursorTooOld;
import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.StoreDamaged;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Reads one incarnation of a stream from a position on, and then goes on as it grows: replay and live are the same loop over the log
 * (NO-SEAM). It holds no queue; a slow reader's position simply falls behind and it catches up in larger batches (SLOW-READER-ALONE).
 *
 * <p>When the stream is discarded while this reader is attached, the reader still receives every chunk and the outcome, for at most
 * {@link StreamLimits#maxLinger}; after that its next read fails with {@code StreamNotFound}.
 *
 * <p>One thread at a time. Close it, so that what it holds back can be deleted.
 */
public final class StreamReader implements AutoCloseable {

    private final StreamEngine engine;
    private final StreamLog log;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Written by the reader's thread, read by who looks how far it is. */
    private volatile long next;

    /** The thread that waits in {@link #next(int)}, for {@link #close} to wake. */
    private volatile @Nullable Thread waiting;

    /** {@code log} was entered for this reader. */
    StreamReader(StreamEngine engine, StreamLog log, long from) {
        this.engine = engine;
        this.log = log;
        this.next = from;
        log.attached().present(this);
    }

    /** The next position to be read. Any thread. */
    long position() {
        return next;
    }

    public String name() {
        return log.name();
    }

    /**
     * A second reader of the same incarnation. Unlike one that is looked up by its name, it can be had while the stream lingers. Must not race
     * with {@link #close}.
     *
     * @param from first sequence number wanted
     * @throws Closed if this reader was closed
     */
    public StreamReader another(long from) {
        if (closed.get() || !log.attached().enter()) {
            throw new Closed("The reader of \"%s\" was closed. Attach again with its cursor.".formatted(name()));
        }
        return new StreamReader(engine, log, from);
    }

    /** Where this reader goes on. */
    public Cursor cursor() {
        return new Cursor(log.incarnation(), next);
    }

    /** Goes on at another position, which the next read checks. */
    public void seek(long seq) {
        if (seq < 0) {
            throw new InvalidArgument("A stream is read from position 0 on; got " + seq + ".");
        }
        next = seq;
    }

    /** The first position that can be read at this moment. */
    public long firstSeq() {
        return log.view().row().firstSeq();
    }

    /** The durable tail at this moment, exclusive. */
    public long tail() {
        return log.view().tail();
    }

    /** Media type of the chunks. */
    public String contentType() {
        return log.view().row().contentType();
    }

    /** The stream as it stands. */
    public StreamStatus status() {
        return log.status();
    }

    /**
     * Reads what is there, without waiting for more, and moves on behind it.
     *
     * @param maxBytes stop before the chunk that would exceed it; a single larger chunk is still returned
     * @throws CursorTooOld if the position was trimmed away meanwhile
     * @throws StreamNotFound if the stream was deleted while it was live, or its linger is over
     */
    public ReadBatch read(int maxBytes) {
        ReadBatch batch = read(engine, log, next, maxBytes);
        next = batch.nextSeq();
        return batch;
    }

    /**
     * Waits until there is at least one chunk or the stream ended, then reads as {@link #read(int)}.
     *
     * @throws Closed if this reader or the whole instance was closed, also while waiting
     */
    public ReadBatch next(int maxBytes) throws InterruptedException {
        while (true) {
            long version = log.view().version();
            ReadBatch batch = read(maxBytes);
            if (!batch.chunks().isEmpty() || batch.ended()) {
                return batch;
            }
            awaitChange(version, Long.MAX_VALUE);
        }
    }

    /** As {@link #next(int)}, for at most {@code timeout}; empty if nothing happened by then. */
    public Optional<ReadBatch> next(int maxBytes, Duration timeout) throws InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (true) {
            long version = log.view().version();
            ReadBatch batch = read(maxBytes);
            if (!batch.chunks().isEmpty() || batch.ended()) {
                return Optional.of(batch);
            }
            if (!awaitChange(version, deadline)) {
                return Optional.empty();
            }
        }
    }

    private boolean awaitChange(long version, long deadline) throws InterruptedException {
        Thread thread = Thread.currentThread();
        Runnable wake = () -> LockSupport.unpark(thread);
        Readers readers = log.attached();
        waiting = thread;
        readers.await(wake);
        try {
            while (log.view().version() == version && !readers.isCut()) {
                if (closed.get() || engine.isClosed()) {
                    throw new Closed(
                            "The reader of \"%s\" was closed. Attach again with its cursor.".formatted(name()));
                }
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                if (deadline == Long.MAX_VALUE) {
                    LockSupport.park(this);
                } else {
                    long left = deadline - System.nanoTime();
                    if (left <= 0) {
                        return false;
                    }
                    LockSupport.parkNanos(this, left);
                }
                readers.await(wake);
            }
            return true;
        } finally {
            readers.cancel(wake);
            waiting = null;
        }
    }

    /**
     * Asks to be told of the next change after the last read: {@code wake} runs once, soon after the stream grew or ended or the instance was
     * closed, or at once if that happened already or this reader is closed. To close the reader later does not run it. A hint: it may come
     * without a change. {@code wake} must not block. Asked again with the same one before it ran, nothing changes.
     *
     * <p>Read on with {@link #next(int, java.time.Duration)} and no time to wait, which tells of all of these, while {@link #read} only reads.
     */
    public void onChange(Runnable wake) {
        Readers readers = log.attached();
        readers.await(wake);
        View view = log.view();
        boolean changed = view.tail() > next || view.state() != StreamState.LIVE || view.gone() || readers.isCut();
        if (changed || closed.get() || engine.isClosed()) {
            readers.cancel(wake);
            wake.run();
        }
    }

    /** Takes back an {@link #onChange} that did not run yet. */
    public void cancel(Runnable wake) {
        log.attached().cancel(wake);
    }

    /** Detaches. Harmless when done twice. The one method that another thread may call: who waits in {@link #next(int)} is told. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            log.attached().absent(this);
            engine.leave(log);
            LockSupport.unpark(waiting);
        }
    }

    /** One bounded read at a position. */
    static ReadBatch read(StreamEngine engine, StreamLog log, long from, int maxBytes) {
        int limit = Math.max(1, Math.min(maxBytes, StreamLimits.MAX_READ_BYTES));
        View view = log.view();
        check(log, view, from);
        List<Chunk> chunks = new ArrayList<>();
        long at = from;
        long bytes = 0;
        while (at < view.tail()) {
            if (at >= view.openFrom()) {
                Chunk chunk = view.open().chunk(at);
                if (!chunks.isEmpty() && bytes + chunk.size() > limit) {
                    break;
                }
                chunks.add(chunk);
                bytes += chunk.size();
                at++;
            } else {
                Optional<BlockCache.Decoded> found =
                        engine.blocks().find(log.lineage().keyOf(at, log.key()), at);
                if (found.isEmpty()) {
                    View now = log.view();
                    check(log, now, from);
                    if (now.gone()) {
                        throw new StreamNotFound(log.name()); // nobody was attached, so its blocks were deleted
                    }
                    throw new StoreDamaged(
                            "Stream \"%s\" has no block for its chunk %d. Restore the store from a backup."
                                    .formatted(log.name(), at));
                }
                BlockCache.Decoded block = found.get();
                long end = Math.min(Math.min(block.toSeq(), log.lineage().endOf(at)), view.tail());
                while (at < end && (chunks.isEmpty() || bytes + block.size(at) <= limit)) {
                    Chunk chunk = block.chunk(at);
                    chunks.add(chunk);
                    bytes += chunk.size();
                    at++;
                }
                if (at < end) {
                    break;
                }
            }
        }
        if (view.gone() && view.state() == StreamState.LIVE && chunks.isEmpty()) {
            throw new StreamNotFound(log.name());
        }
        return new ReadBatch(chunks, at, view.tail(), view.state(), view.error());
    }

    private static void check(StreamLog log, View view, long from) {
        if (log.attached().isCut()) {
            throw new StreamNotFound(log.name());
        }
        if (from < view.row().firstSeq()) {
            throw new CursorTooOld(log.name(), from, view.row().firstSeq());
        }
        if (from > view.tail()) {
            throw new CursorAhead(log.name(), from, view.tail());
        }
    }
}
