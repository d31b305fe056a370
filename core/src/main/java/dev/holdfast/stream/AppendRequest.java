package dev.holdfast.stream;

import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.LimitExceeded;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * An append with all that can go with it. The chunks are appended together or not at all, and everything else is stored in the same commit.
 *
 * @param chunks the chunks' bytes; the arrays must not be changed afterwards
 * @param producer numbering by an idempotent producer, or null
 * @param checkpoint a position of the writer's own, stored in the same commit, or null
 * @param expectedTail the append is refused with {@code PreconditionFailed} unless the stream's tail is this
 * @param order the sender's own order of its appends, or null: opaque text of at most {@value StreamLimits#MAX_NAME_BYTES} bytes. Within a
 *     stream each order must be greater than the one before, compared as the bytes of its UTF-8 form, or the append is refused with
 *     {@code OrderConflict}
 * @param settle whether the stream is settled as completed, and kept, in the same step. With no chunks this settles it and appends nothing;
 *     without a producer such a request can be repeated
 * @param contentType the append is refused with {@code StreamConflict} unless this is the stream's media type (parameters and case do not
 *     count); null for not to check
 */
public record AppendRequest(
        List<byte[]> chunks,
        @Nullable Producer producer,
        @Nullable Checkpoint checkpoint,
        OptionalLong expectedTail,
        @Nullable String order,
        boolean settle,
        @Nullable String contentType) {

    /**
     * A position of the writer's own, such as the number of the upstream event that the chunks came from.
     *
     * @param name which position, at most {@value StreamLimits#MAX_NAME_BYTES} bytes
     * @param position never below the one stored before
     */
    public record Checkpoint(String name, long position) {}

    public static AppendRequest of(List<byte[]> chunks) {
        return new AppendRequest(chunks, null, null, OptionalLong.empty(), null, false, null);
    }

    public AppendRequest from(Producer sender) {
        return new AppendRequest(chunks, sender, checkpoint, expectedTail, order, settle, contentType);
    }

    public AppendRequest at(long tail) {
        return new AppendRequest(chunks, producer, checkpoint, OptionalLong.of(tail), order, settle, contentType);
    }

    public AppendRequest with(Checkpoint position) {
        return new AppendRequest(chunks, producer, position, expectedTail, order, settle, contentType);
    }

    public AppendRequest ordered(String position) {
        return new AppendRequest(chunks, producer, checkpoint, expectedTail, position, settle, contentType);
    }

    /** Settles the stream in the same step. */
    public AppendRequest settling() {
        return new AppendRequest(chunks, producer, checkpoint, expectedTail, order, true, contentType);
    }

    public AppendRequest as(String mediaType) {
        return new AppendRequest(chunks, producer, checkpoint, expectedTail, order, settle, mediaType);
    }

    /** Requests that append these chunks in order, none of them larger than {@link StreamLimits#MAX_APPEND_BYTES}. */
    static List<AppendRequest> split(List<byte[]> chunks) {
        List<AppendRequest> requests = new ArrayList<>();
        int from = 0;
        long bytes = 0;
        for (int i = 0; i < chunks.size(); i++) {
            int length = chunks.get(i).length;
            if (i > from && bytes + length > StreamLimits.MAX_APPEND_BYTES) {
                requests.add(of(chunks.subList(from, i)));
                from = i;
                bytes = 0;
            }
            bytes += length;
        }
        if (from < chunks.size()) {
            requests.add(of(chunks.subList(from, chunks.size())));
        }
        return requests;
    }

    /** Checks what needs no stream, and returns the size of the chunks. */
    int checked(StreamLimits limits) {
        long bytes = checkChunks(chunks, limits);
        if (producer != null) {
            Names.check("producer id", producer.id());
            if (producer.epoch() < 0 || producer.seq() < 0) {
                throw new InvalidArgument("A producer's epoch and sequence start at 0; got epoch %d, sequence %d."
                        .formatted(producer.epoch(), producer.seq()));
            }
            if (checkpoint != null) {
                throw new InvalidArgument("An append carries a producer or a checkpoint, not both.");
            }
        }
        if (checkpoint != null) {
            Names.check("checkpoint name", checkpoint.name());
            if (checkpoint.position() < 0) {
                throw new InvalidArgument("A checkpoint's position is at least 0; got " + checkpoint.position() + ".");
            }
        }
        if (order != null) {
            Names.check("order", order);
        }
        if (chunks.isEmpty() && checkpoint == null && !settle) {
            throw new InvalidArgument("There is nothing to append. Give at least one chunk.");
        }
        return (int) bytes;
    }

    /** Checks sizes, and returns the sum. */
    static long checkChunks(List<byte[]> chunks, StreamLimits limits) {
        long sum = 0;
        for (int i = 0; i < chunks.size(); i++) {
            int length = chunks.get(i).length;
            if (length > limits.maxChunkBytes()) {
                throw new LimitExceeded("maxChunkBytes", limits.maxChunkBytes(), length, "split the chunk");
            }
            sum += length;
        }
        if (sum > StreamLimits.MAX_APPEND_BYTES) {
            throw new LimitExceeded(
                    "MAX_APPEND_BYTES", StreamLimits.MAX_APPEND_BYTES, sum, "send fewer chunks at once");
        }
        return sum;
    }
}
