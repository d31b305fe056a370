package dev.holdfast.mcp.tasks;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.stream.AppendRequest;
import dev.holdfast.stream.AppendRequest.Checkpoint;
import dev.holdfast.stream.StreamCreation;
import dev.holdfast.stream.StreamOptions;
import dev.holdfast.stream.StreamWriter;
import dev.holdfast.stream.Streams;
import io.modelcontextprotocol.modern.McpException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stream of one task and its only writer: events with dense numbers from 0, each durable when its method returns. The outcome is appended and
 * settles the stream in one commit, so there is one at most (ONE-OUTCOME).
 *
 * <p>When the events since the last base have grown large, a new base is written, and what lies before the one before it is trimmed.
 *
 * <p>One thread at a time.
 */
final class TaskLog {

    private static final Logger LOG = LoggerFactory.getLogger(TaskLog.class);

    /** The label of all streams of tasks. */
    static final String TAG = "mcp-task";

    static final String PREFIX = "mcp-task/";
    private static final String STATE = "state";
    private static final String CONTENT_TYPE = "application/octet-stream";

    /** A base is only written after so many times its own size in events. */
    private static final int EVENTS_PER_BASE = 4;

    private final Streams streams;
    private final StreamWriter writer;
    private final TaskSpec spec;
    private final long maxEventBytes;
    private long nextSeq;
    private long base;
    private long baseBytes;
    private long bytesSince;

    /** Position of the last event with all of how the task stands; not behind the base if that has it. */
    private long stateAt = TaskRecords.NOWHERE;

    private TaskLog(Streams streams, StreamWriter writer, TaskSpec spec, long maxEventBytes, long nextSeq, long base) {
        this.streams = streams;
        this.writer = writer;
        this.spec = spec;
        this.maxEventBytes = maxEventBytes;
        this.nextSeq = nextSeq;
        this.base = base;
    }

    static String streamOf(String id) {
        return PREFIX + id;
    }

    static String idOf(String stream) {
        return stream.substring(PREFIX.length());
    }

    private static StreamOptions options() {
        return StreamOptions.DEFAULTS.withTag(TAG).withContentType(CONTENT_TYPE);
    }

    /**
     * Makes a task durable: when this returns it can be read.
     *
     * @param known its first base
     */
    static TaskLog create(Streams streams, TaskSpec spec, TaskState state, byte[] known, long maxEventBytes) {
        List<byte[]> chunks = new ArrayList<>(TaskFrame.encode(TaskFrame.Kind.BASE, 0, 0, known));
        chunks.addAll(TaskFrame.encode(
                TaskFrame.Kind.EVENT,
                0,
                0,
                eventOf(
                        "created",
                        state.updatedAt(),
                        Map.of("tool", spec.tool(), "status", state.status().wire()),
                        null)));
        StreamOptions options = options();
        if (spec.timeToLive() != null) {
            options = options.withExpiresAt(Instant.ofEpochMilli(spec.createdAt() + spec.timeToLive()));
        }
        String name = streamOf(spec.id());
        StreamWriter writer = streams.begin(name, StreamCreation.of(options).with(chunks));
        TaskLog log = new TaskLog(streams, writer, spec, maxEventBytes, 1, 0);
        log.baseBytes = known.length;
        return log;
    }

    /** A log with what it says. */
    record Recovered(TaskLog log, TaskState state) {

        /** What it holds in memory, as JSON. */
        long bytes() {
            return TaskFrame.json(log.spec.toJson()).length + InputRound.bytes(state.round());
        }
    }

    /**
     * Goes on with a task of a process that ended; whoever wrote it before cannot any more (ONE-WRITER).
     *
     * @throws HoldfastException.StreamNotFound if its time is over
     */
    static Recovered recover(Streams streams, String stream, long maxEventBytes) {
        StreamWriter writer = streams.resume(stream);
        TaskRecords.Known known =
                TaskRecords.read(idOf(stream), writer::read, writer.tail().seq(), false, writer.checkpoint(STATE));
        TaskLog log = new TaskLog(streams, writer, known.spec(), maxEventBytes, known.nextSeq(), known.base());
        log.stateAt = known.stateAt();
        log.bytesSince = maxEventBytes; // how much there is was not counted; a base that comes too early costs nothing
        return new Recovered(log, known.state());
    }

    TaskSpec spec() {
        return spec;
    }

    /**
     * What the stream of a task that is new begins with.
     *
     * @throws McpException if the call is too large
     */
    static byte[] firstBase(TaskSpec spec, TaskState state) {
        byte[] known = baseOf(spec, state);
        if (known.length > TaskSettings.MAX_EVENT_BYTES) {
            throw TaskErrors.invalid("The call has %d bytes; MAX_EVENT_BYTES allows %d. Send smaller arguments."
                    .formatted(known.length, TaskSettings.MAX_EVENT_BYTES));
        }
        return known;
    }

    private static byte[] baseOf(TaskSpec spec, TaskState state) {
        return TaskFrame.json(Map.of("task", spec.toJson(), "state", state.toJson()));
    }

    private static byte[] eventOf(
            String type, long at, Map<String, ? extends @Nullable Object> data, @Nullable TaskState state) {
        Map<String, @Nullable Object> event = members(type, at, data);
        if (state != null) {
            event.put("state", state.toJson());
        }
        return TaskFrame.json(event);
    }

    private static Map<String, @Nullable Object> members(
            String type, long at, Map<String, ? extends @Nullable Object> data) {
        Map<String, @Nullable Object> event = new LinkedHashMap<>();
        event.put("type", type);
        event.put("at", at);
        event.put("data", data);
        return event;
    }

    /**
     * Appends an event.
     *
     * @param data what readers of the events see
     * @param now how the task stands
     * @throws TooLarge if it has more than {@link TaskSettings#MAX_EVENT_BYTES}; nothing was appended
     */
    void event(String type, long at, Map<String, ? extends @Nullable Object> data, TaskState now) {
        append(AppendRequest.of(chunks(eventOf(type, at, data, null))));
        rebase(now);
    }

    /**
     * Appends an event that changes what people are told of the task, and nothing else of how it stands: that is not written again, however large
     * its questions are.
     *
     * @param data with the {@code message}
     * @param next with the same message
     * @throws TooLarge if it has more than {@link TaskSettings#MAX_EVENT_BYTES}; nothing was appended
     */
    void saying(String type, Map<String, ? extends @Nullable Object> data, TaskState next) {
        Map<String, @Nullable Object> event = members(type, next.updatedAt(), data);
        event.put(TaskRecords.OF, stateAt);
        append(AppendRequest.of(chunks(TaskFrame.json(event)))
                .with(new Checkpoint(STATE, writer.tail().seq())));
        rebase(next);
    }

    /**
     * Appends an event that changes how the task stands; one that ends it settles the stream.
     *
     * @throws TooLarge if it has more than {@link TaskSettings#MAX_EVENT_BYTES}; nothing was appended
     */
    void change(String type, Map<String, ? extends @Nullable Object> data, TaskState next) {
        List<byte[]> chunks = chunks(eventOf(type, next.updatedAt(), data, next));
        long at = writer.tail().seq();
        AppendRequest request = AppendRequest.of(chunks).with(new Checkpoint(STATE, at));
        append(next.status().isFinal() ? request.settling() : request);
        stateAt = at;
        if (!next.status().isFinal()) {
            rebase(next);
        }
    }

    private List<byte[]> chunks(byte[] event) {
        if (event.length > TaskSettings.MAX_EVENT_BYTES) {
            throw new TooLarge(event.length);
        }
        return TaskFrame.encode(TaskFrame.Kind.EVENT, nextSeq, base, event);
    }

    private void append(AppendRequest request) {
        var unused = writer.append(request);
        nextSeq++;
        bytesSince += request.chunks().stream().mapToInt(chunk -> chunk.length).sum();
    }

    /** Writes a new base if it is time, and lets go of what no reader can ask for any more. */
    private void rebase(TaskState state) {
        if (bytesSince < Math.max(maxEventBytes, EVENTS_PER_BASE * baseBytes)) {
            return;
        }
        byte[] known = baseOf(spec, state);
        if (known.length > TaskSettings.MAX_EVENT_BYTES) {
            return; // questions and arguments that fit only one by one; the events stay
        }
        try {
            long before = base;
            long next = writer.tail().seq();
            var unused = writer.append(AppendRequest.of(TaskFrame.encode(TaskFrame.Kind.BASE, nextSeq, next, known)));
            base = next;
            baseBytes = known.length;
            bytesSince = 0;
            streams.trim(writer.name(), before);
        } catch (HoldfastException e) {
            LOG.debug(
                    "The events of {} are not trimmed now: {}",
                    spec.label(),
                    TaskSpec.withoutIds(e)); // after the next event, perhaps
        }
    }

    /** An event is larger than allowed. */
    static final class TooLarge extends RuntimeException {
        private final int bytes;

        private TooLarge(int bytes) {
            super("An event of %d bytes; MAX_EVENT_BYTES allows %d".formatted(bytes, TaskSettings.MAX_EVENT_BYTES));
            this.bytes = bytes;
        }

        int bytes() {
            return bytes;
        }
    }
}
