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
 * until its outcome. Holds no thread while there is nothing to tell, and no more of the stream than one batch.
 */
final class TaskFeed {

    private static final int BATCH_BYTES = 64 << 10;
    private static final String TYPE_PREFIX = "dev.holdfast/";

    private final String id;
    private final StreamReader reader;
    private final long after;
    private final TaskFrame.Assembly assembly = new TaskFrame.Assembly();

    /** How often it was woken since its part began; whoever makes it 1 runs the part. */
    private final AtomicInteger woken = new AtomicInteger();

    private final Runnable wake = this::wake;
    private volatile @Nullable MonoSink<McpSchema.Result> end;
    private volatile @Nullable McpAsyncNotifier to;

    // Of the thread that runs a part.
    private long lastSeq;
    private String status = "";

    private TaskFeed(String id, StreamReader reader, long after) {
        this.id = id;
        this.reader = reader;
        this.after = after;
        this.lastSeq = after;
    }

    /**
     * The events behind a position.
     *
     * @param after the number of the last event that is not wanted; -1 for all; null for all that are kept
     * @throws McpException if events behind it are gone, or it lies beyond the last
     */
    static TaskFeed open(Streams streams, String id, @Nullable Long after) {
        String name = TaskLog.streamOf(id);
        StreamReader reader;
        try {
            reader = streams.tail(name, 0);
        } catch (HoldfastException.StreamNotFound | HoldfastException.StreamGone e) {
            throw TaskErrors.unknownTask();
        }
        boolean opened = false;
        try {
            TaskRecords.Reads reads = (from, bytes) -> {
                reader.seek(from);
                return reader.read(bytes);
            };
            long earliest = TaskRecords.frame(reads, reader.firstSeq()).seq();
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
            reader.seek(reader.firstSeq());
            opened = true;
            return new TaskFeed(id, reader, position);
        } catch (HoldfastException.CursorTooOld e) {
            return open(streams, id, after); // it was trimmed in between
        } finally {
            if (!opened) {
                reader.close();
            }
        }
    }

    /** Tells them all. The result comes after the outcome. */
    Mono<McpSchema.Result> tell(McpAsyncNotifier notifier) {
        return Mono.create(sink -> {
            to = notifier;
            end = sink;
            sink.onDispose(() -> {
                reader.cancel(wake);
                reader.close();
            });
            wake();
        });
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
            while (true) {
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
            }
        } catch (HoldfastException.CursorTooOld e) {
            sink.error(TaskErrors.eventsGone(lastSeq + 1));
        } catch (HoldfastException.StreamNotFound | HoldfastException.StreamGone e) {
            sink.error(TaskErrors.unknownTask());
        } catch (InterruptedException e) {
            sink.error(e);
        } catch (RuntimeException e) {
            sink.error(e);
        }
        return false;
    }

    private void tell(Chunk chunk) {
        TaskFrame frame = TaskFrame.decode(chunk.bytes());
        McpAsyncNotifier notifier = to;
        if (frame.kind() == TaskFrame.Kind.BASE || frame.seq() <= after || notifier == null) {
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
