package dev.holdfast.uimessage;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The compacted replay: adjacent deltas of one part become one; transient parts, and what a {@code reset-step} dropped, are left out; everything else passes
 * unchanged and in order. Calls that the server or the provider runs are {@code providerExecuted} in the stream already, so that no client runs them
 * because it sees them again. A client makes the same message of it at a fraction of the cost, since it renders once per chunk.
 *
 * <p>A compactor serves one replay, in batches of any size: {@link #add} what was read, and {@link #flush} where the replay ends or goes live.
 * Owned by one thread.
 */
public final class ChunkCompactor {

    private final Consumer<byte[]> out;
    private final RedoneSteps steps = new RedoneSteps(this::compact);
    /** The first of the deltas that are being merged, as it came. */
    private byte @Nullable [] first;

    private @Nullable UiChunk kind;
    private @Nullable JsonNode providerMetadata;
    private final StringBuilder merged = new StringBuilder();
    private int count;

    /** @param out takes the chunks of the replay */
    public ChunkCompactor(Consumer<byte[]> out) {
        this.out = out;
    }

    /** The compacted form of a whole sequence. */
    public static List<byte[]> compact(List<byte[]> chunks) {
        List<byte[]> compacted = new ArrayList<>();
        ChunkCompactor compactor = new ChunkCompactor(compacted::add);
        chunks.forEach(compactor::add);
        compactor.flush();
        return compacted;
    }

    /**
     * Some of a sequence with its adjacent deltas merged and its transient parts left out. Nothing else is: a {@code reset-step} stays, since what it drops
     * may have been told before.
     */
    public static List<byte[]> merged(List<byte[]> chunks) {
        List<byte[]> merged = new ArrayList<>();
        ChunkCompactor compactor = new ChunkCompactor(merged::add);
        for (byte[] chunk : chunks) {
            UiChunk parsed = parse(chunk);
            if (parsed == null || !parsed.isTransient()) {
                compactor.compact(chunk, parsed);
            }
        }
        compactor.endDelta();
        return merged;
    }

    /** Takes the next chunk. One that is not a UI chunk passes unchanged. */
    public void add(byte[] chunk) {
        UiChunk parsed = parse(chunk);
        if (parsed == null || !parsed.isTransient()) {
            steps.add(chunk, parsed);
        }
    }

    /** Gives out what is held back. */
    public void flush() {
        steps.flush();
        endDelta();
    }

    private void compact(byte[] chunk, @Nullable UiChunk parsed) {
        if (parsed == null || !isMergeable(parsed)) {
            endDelta();
            out.accept(chunk);
            return;
        }
        if (kind == null || !isSamePart(kind, parsed) || isFull()) {
            endDelta();
            first = chunk;
        }
        kind = parsed;
        merge(parsed);
    }

    /** Whether the merged text is long enough; half a code point waits for its other half. */
    private boolean isFull() {
        int length = merged.length();
        return length >= UiLimits.MAX_MERGED_CHARS && !Character.isHighSurrogate(merged.charAt(length - 1));
    }

    private void endDelta() {
        UiChunk last = kind;
        byte[] only = first;
        if (last == null || only == null) {
            return;
        }
        out.accept(count == 1 ? only : whole(last).toBytes());
        kind = null;
        first = null;
        providerMetadata = null;
        merged.setLength(0);
        count = 0;
    }

    private static @Nullable UiChunk parse(byte[] chunk) {
        try {
            return UiChunk.parse(chunk);
        } catch (InvalidUiJson e) {
            return null;
        }
    }

    private static boolean isMergeable(UiChunk chunk) {
        return chunk.extra().isEmpty()
                && (chunk instanceof UiChunk.TextDelta
                        || chunk instanceof UiChunk.ReasoningDelta
                        || chunk instanceof UiChunk.ToolInputDelta);
    }

    private static boolean isSamePart(UiChunk a, UiChunk b) {
        return a.type().equals(b.type()) && partId(a).equals(partId(b));
    }

    private static String partId(UiChunk chunk) {
        return switch (chunk) {
            case UiChunk.TextDelta c -> c.id();
            case UiChunk.ReasoningDelta c -> c.id();
            case UiChunk.ToolInputDelta c -> c.toolCallId();
            default -> throw new AssertionError("not a delta: " + chunk.type());
        };
    }

    private void merge(UiChunk delta) {
        count++;
        switch (delta) {
            case UiChunk.TextDelta c -> append(c.delta(), c.providerMetadata());
            case UiChunk.ReasoningDelta c -> append(c.delta(), c.providerMetadata());
            case UiChunk.ToolInputDelta c -> append(c.inputTextDelta(), null);
            default -> throw new AssertionError("not a delta: " + delta.type());
        }
    }

    private void append(String text, @Nullable JsonNode metadata) {
        merged.append(text);
        if (metadata != null) {
            providerMetadata = metadata;
        }
    }

    private UiChunk whole(UiChunk last) {
        String text = merged.toString();
        return switch (last) {
            case UiChunk.TextDelta c -> new UiChunk.TextDelta(c.id(), text, providerMetadata, c.extra());
            case UiChunk.ReasoningDelta c -> new UiChunk.ReasoningDelta(c.id(), text, providerMetadata, c.extra());
            case UiChunk.ToolInputDelta c -> new UiChunk.ToolInputDelta(c.toolCallId(), text);
            default -> throw new AssertionError("not a delta: " + last.type());
        };
    }
}
