package dev.holdfast.mcp.tasks;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.http.Json;
import dev.holdfast.stream.Chunk;
import dev.holdfast.stream.ReadBatch;
import dev.holdfast.stream.StreamReader;
import dev.holdfast.stream.Streams;
import io.modelcontextprotocol.modern.McpException;
import io.modelcontextprotocol.modern.McpSchema;
import io.modelcontextprotocol.modern.server.McpAsyncNotifier;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import tools.jackson.databind.JsonNode;

/**
 * The events of one task for one request of {@code tasks/stream}: those that are kept, then those that come, in one loop over its stream (NO-SEAM),
 * until its outcome. Holds no thread while there is nothing to tell, and no more of the stream than one batch. When the stream's shard moves to another
 * node, it goes on from there.
 */
final class TaskFeed {

    private static final int BATCH_BYTES = 64 << 10;
    private static final String TYPE_PREFIX = "dev.holdfast/";

    private final Streams streams;
    private final String id;

    private volatile StreamReader reader; // replaced by the thread that runs a part, guarded by this
    private boolean disposed; // guarded by this

    /** How often it was woken since its part began; whoever makes it 1 runs the part. */
    private final AtomicInteger woken = new AtomicInteger();

    private final Runnable wake = this::wake;
    private volatile @Nullable MonoSink<McpSchema.Result> end;
    private volatile @Nullable McpAsyncNotifier to;

    // Of the thread that runs a part.
    private TaskFrame.Assembly assembly = new TaskFrame.Assembly();
    private long lastSeq;
    private String status = "";

    private TaskFeed(Streams streams, String id, Attached attached) {
        this.streams = streams;
        this.id = id;
        this.reader = attached.reader();
        this.lastSeq = attached.after();
    }

    /** A reader that stands behind the event of this number. */
    private record Attached(StreamReader reader, long after) {}

    /**
     * The events behind a position.
     *
     * @param after the number of the last event that is not wanted; -1 for all; null for all that are kept
     * @throws McpException if events behind it are gone, or it lies beyond the last
     */
    static TaskFeed open(Streams streams, String id, @Nullable Long after) {
        return new TaskFeed(streams, id, attach(streams, id, after));
    }

    private static Attached attach(Streams streams, String id, @Nullable Long after) {
        String name = TaskLog.streamOf(id);
        StreamReader reader;
        try {
            reader = streams.tail(name, 0);
        } catch (HoldfastException.StreamNotFound | HoldfastException.StreamGone e) {
            throw TaskErrors.unknownTask();
        }
        boolean opened = false;
        try {
            TaskRecords.Reads reads = reads(reader);
            long first = reader.firstSeq();
            long earliest = TaskRecords.frame(reads, first).seq();
            long position = after == null ? earliest - 1 : after;
            if (position < earliest - 1) {
                throw TaskErrors.eventsGone(earliest);
            }
            TaskFrame last = TaskRecords.frame(reads, reader.tail() - 1);
            long highest = last.kind() == TaskFrame.Kind.BASE ? last.seq() - 1 : last.seq();
            if (position > highest) {
                throw TaskErrors.invalid(
                        "params.after is %d, but the last event of the task is %d.".formatted(position, highest));
            }
            reader.seek(first + position + 1 - earliest); // an event is a chunk or more, so not behind the next one
            opened = true;
            return new Attached(reader, position);
        } catch (HoldfastException.CursorTooOld e) {
            return attach(streams, id, after); // it was trimmed in between
        } finally {
            if (!opened) {
                reader.close();
            }
        }
    }

    private static TaskRecords.Reads reads(StreamReader reader) {
        return (from, bytes) -> {
            reader.seek(from);
            return reader.read(bytes);
        };
    }

    /** The number of the first event that is kept; what is kept begins with a base, which names it. */
    private static long earliest(StreamReader reader) {
        return TaskRecords.frame(reads(reader), reader.firstSeq()).seq();
    }

    /** Tells them all. The result comes after the outcome. */
    Mono<McpSchema.Result> tell(McpAsyncNotifier notifier) {
        return Mono.create(sink -> {
            to = notifier;
            end = sink;
            sink.onDispose(this::dispose);
            wake();
        });
    }

    private synchronized void dispose() {
        disposed = true;
        reader.cancel(wake);
        reader.close();
    }

    /** Its reader was closed. Returns false if that is right: nobody wants to be told any more. */
    private synchronized boolean attachAgain() {
        if (disposed) {
            return false;
        }
        reader = attach(streams, id, lastSeq).reader();
        assembly = new TaskFrame.Assembly();
        return true;
    }

    private void wake() {
        if (woken.getAndIncrement() == 0) {
            Thread.ofVirtual()
                    .name("holdfast-mcp-events")
                    .inheritInheritableThreadLocals(false)
                    .start(this::run);
        }
    }

    private void run() {
        int answered;
        do {
            answered = woken.get();
            if (!part()) {
                return; // and nobody runs another
            }
        } while (woken.addAndGet(-answered) != 0);
    }

    /** Tells what there is. Returns whether more may come. */
    private boolean part() {
        MonoSink<McpSchema.Result> sink = end;
        if (sink == null) {
            return false;
        }
        try {
            return tellAll(sink);
        } catch (HoldfastException.CursorTooOld e) {
            sink.error(overtaken());
        } catch (HoldfastException.StreamNotFound | HoldfastException.StreamGone e) {
            sink.error(TaskErrors.unknownTask());
        } catch (InterruptedException | RuntimeException e) {
            sink.error(e);
        }
        return false;
    }

    private boolean tellAll(MonoSink<McpSchema.Result> sink) throws InterruptedException {
        while (true) {
            try {
                Optional<ReadBatch> next = reader.next(BATCH_BYTES, Duration.ZERO);
                if (next.isEmpty()) {
                    reader.onChange(wake);
                    return true;
                }
                for (Chunk chunk : next.get().chunks()) {
                    tell(chunk);
                }
                if (next.get().ended()) {
                    sink.success(Fields.complete(Map.of("taskId", id, "status", status, "lastSeq", lastSeq)));
                    return false;
                }
            } catch (HoldfastException.Closed e) { // the shard is another node's now, or this one's
                if (!attachAgain()) {
                    return false;
                }
            }
        }
    }

    /** The reader was so slow that what it wants next is not kept any more. */
    private RuntimeException overtaken() {
        try {
            return TaskErrors.eventsGone(earliest(reader));
        } catch (HoldfastException.CursorTooOld e) { // and again in between
            return overtaken();
        } catch (HoldfastException e) {
            return TaskErrors.unknownTask();
        }
    }

    private void tell(Chunk chunk) {
        TaskFrame frame = TaskFrame.decode(chunk.bytes());
        McpAsyncNotifier notifier = to;
        if (frame.kind() == TaskFrame.Kind.BASE || frame.seq() <= lastSeq || notifier == null) {
            return;
        }
        TaskFrame.Assembly.@Nullable Whole event = assembly.add(frame);
        if (event == null) {
            return;
        }
        JsonNode json = event.json();
        JsonNode data = json.path("data");
        Map<String, @Nullable Object> params = new LinkedHashMap<>();
        params.put("taskId", id);
        params.put("seq", event.seq());
        params.put("type", TYPE_PREFIX + json.path("type").stringValue());
        params.put(
                "timestamp", Instant.ofEpochMilli(json.path("at").longValue()).toString());
        params.put("data", Json.MAPPER.treeToValue(data, Object.class));
        var unused = notifier.notify(TaskWire.EVENT, params).block();
        lastSeq = event.seq();
        status = data.path("status").asString(status);
    }
}
