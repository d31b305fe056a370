package dev.holdfast.mcp.tasks;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.stream.ReadBatch;
import dev.holdfast.stream.StreamReader;
import dev.holdfast.stream.Streams;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells whenever the stream of a task grows that another node runs, until its outcome. What it says is looked at by who is told. Holds no thread while
 * there is nothing to tell.
 */
final class Followed implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Followed.class);

    private static final int BATCH_BYTES = 64 << 10;

    private final Streams streams;
    private final String stream;
    private final Runnable told;
    private final AtomicInteger woken = new AtomicInteger();
    private final Runnable wake = this::wake;
    private volatile boolean closed;

    /** Of the thread that runs a part. */
    private @Nullable StreamReader reader;

    private Followed(Streams streams, String id, Runnable told) {
        this.streams = streams;
        this.stream = TaskLog.streamOf(id);
        this.told = told;
    }

    /** Tells of what comes from now on; and at once, as nobody knows what came before. */
    static Followed of(Streams streams, String id, Runnable told) {
        Followed followed = new Followed(streams, id, told);
        followed.wake();
        return followed;
    }

    private void wake() {
        if (woken.getAndIncrement() == 0) {
            Thread.ofVirtual().name("holdfast-mcp-followed").start(this::run);
        }
    }

    private void run() {
        int answered;
        do {
            answered = woken.get();
            if (closed || !part()) {
                end();
                return; // and nobody runs another
            }
        } while (woken.addAndGet(-answered) != 0);
    }

    private boolean part() {
        try {
            StreamReader open = reader;
            if (open == null) {
                open = streams.tail(stream, 0);
                open.seek(open.tail());
                reader = open;
                told.run();
            }
            while (true) {
                Optional<ReadBatch> next = open.next(BATCH_BYTES, Duration.ZERO);
                if (next.isEmpty()) {
                    open.onChange(wake);
                    return true;
                }
                if (!next.get().chunks().isEmpty() || next.get().ended()) {
                    told.run();
                }
                if (next.get().ended()) {
                    return false;
                }
            }
        } catch (HoldfastException.Closed | HoldfastException.CursorTooOld e) {
            boolean wasAttached = reader != null;
            end();
            if (wasAttached) { // or Holdfast is closed
                wake(); // its shard changed hands, or much was said at once: from its end on again
            }
            return wasAttached;
        } catch (HoldfastException e) {
            LOG.debug("A task of another node is not followed any more: {}", TaskSpec.withoutIds(e));
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void end() {
        StreamReader open = reader;
        reader = null;
        if (open != null) {
            open.cancel(wake);
            open.close();
        }
    }

    @Override
    public void close() {
        closed = true;
        wake();
    }
}
