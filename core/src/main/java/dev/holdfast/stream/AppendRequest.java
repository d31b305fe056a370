package dev.holdfast.stream;

import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * An append with all that can go with it. The chunks are appended together or not at all.
 *
 * @param chunks the chunks' bytes; the arrays must not be changed afterwards
 * @param producer numbering by an idempotent producer, or null
 * @param checkpoint a position of the writer's own, stored in the same commit, or null
 * @param expectedTail the append is refused with {@code PreconditionFailed} unless the stream's tail is this
 */
public record AppendRequest(
        List<byte[]> chunks,
        @Nullable Producer producer,
        @Nullable Checkpoint checkpoint,
        OptionalLong expectedTail) {

    /**
     * A position of the writer's own, such as the number of the upstream event that the chunks came from.
     *
     * @param name which position, at most {@value StreamLimits#MAX_NAME_BYTES} bytes
     * @param position never below the one stored before
     */
    public record Checkpoint(String name, long position) {}

    public static AppendRequest of(List<byte[]> chunks) {
        return new AppendRequest(chunks, null, null, OptionalLong.empty());
    }

    public AppendRequest from(Producer sender) {
        return new AppendRequest(chunks, sender, checkpoint, expectedTail);
    }

    public AppendRequest at(long tail) {
        return new AppendRequest(chunks, producer, checkpoint, OptionalLong.of(tail));
    }

    public AppendRequest with(Checkpoint position) {
        return new AppendRequest(chunks, producer, position, expectedTail);
    }
}
