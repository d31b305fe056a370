package dev.holdfast.mcp.tasks;

import dev.holdfast.stream.Chunk;
import dev.holdfast.stream.ReadBatch;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Reads single records of a task's stream. */
final class TaskRecords {

    /** In an event that changes only what people are told: position of the event with the rest of how the task stands. */
    static final String OF = "of";

    /** Before every position. */
    static final long NOWHERE = -1;

    private static final int READ_BYTES = 1 << 20;

    /** Reads of one stream; {@code from} need not be the beginning of a record. */
    @FunctionalInterface
    interface Reads {
        ReadBatch read(long from, int maxBytes);
    }

    private TaskRecords() {}

    /**
     * What is known of a task.
     *
     * @param spec what it is
     * @param state how it stands
     * @param nextSeq the number of its next event
     * @param base position of its last base
     * @param stateAt position of the last event with all of how it stands; not behind the base if that has it
     */
    record Known(TaskSpec spec, TaskState state, long nextSeq, long base, long stateAt) {}

    /**
     * Reads all that is to be known of a task.
     *
     * @param tail of its stream
     * @param state position of the last event that changed its state, if that is known; a stream that is settled ends with it
     */
    static Known read(String id, Reads reads, long tail, boolean settled, OptionalLong state) {
        TaskFrame last = frame(reads, tail - 1);
        JsonNode base = record(reads, last.base());
        TaskSpec spec = TaskSpec.of(id, base.path("task"));
        long stateAt = settled ? tail - 1 - last.piece() : state.orElse(NOWHERE);
        TaskState stands = TaskState.of(base.path("state"), base);
        long whole = stateAt;
        if (stateAt > last.base()) {
            JsonNode event = record(reads, stateAt);
            boolean says = event.has(OF);
            whole = says ? event.path(OF).longValue() : stateAt;
            if (whole > last.base()) {
                stands = stateOf(whole == stateAt ? event : record(reads, whole));
            }
            if (says) {
                stands = stands.saying(
                        event.path("data").path("message").stringValue(),
                        event.path("at").longValue());
            }
        }
        boolean isBase = last.kind() == TaskFrame.Kind.BASE;
        return new Known(spec, stands, isBase ? last.seq() : last.seq() + 1, last.base(), whole);
    }

    private static TaskState stateOf(JsonNode event) {
        return TaskState.of(event.path("state"), event.path("data"));
    }

    /** The header of the chunk at a position. */
    static TaskFrame frame(Reads reads, long position) {
        return TaskFrame.decode(reads.read(position, 1).chunks().getFirst().bytes());
    }

    /** The record that begins at a position. */
    private static JsonNode record(Reads reads, long from) {
        TaskFrame.Assembly assembly = new TaskFrame.Assembly();
        long at = from;
        while (true) {
            ReadBatch batch = reads.read(at, READ_BYTES);
            for (Chunk chunk : batch.chunks()) {
                TaskFrame.Assembly.@Nullable Whole whole = assembly.add(TaskFrame.decode(chunk.bytes()));
                if (whole != null) {
                    return whole.json();
                }
            }
            if (batch.chunks().isEmpty()) {
                throw new IllegalStateException("A task's record ends in its middle");
            }
            at = batch.nextSeq();
        }
    }
}
