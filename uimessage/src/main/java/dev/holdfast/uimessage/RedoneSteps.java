package dev.holdfast.uimessage;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Leaves out of a replay what a {@code reset-step} dropped, and the chunk itself, which clients before major 7 do not know: whoever begins now never
 * sees the attempt that was given up. For that the chunks of a step are held back until it ends, the replay is flushed, or they exceed
 * {@link UiLimits#MAX_HELD_STEP_BYTES}; a reset that comes after that passes as it is.
 *
 * <p>What a reset does not undo is kept: metadata, results of calls and replacements of data of earlier steps. Where that cannot be told for sure, nothing is
 * left out. Owned by one thread.
 */
final class RedoneSteps {

    private record Held(byte[] raw, UiChunk chunk) {}

    private final BiConsumer<byte[], @Nullable UiChunk> out;
    private final List<Held> held = new ArrayList<>();
    private long heldBytes;
    /** Whether a reader may have seen parts of the step in progress. */
    private boolean shown;
    /** Whether a chunk of the step refers to something that a reset would make different. */
    private boolean entangled;
    /** Texts and reasonings that are open; with a mark, since their ids are apart. */
    private final Set<String> open = new HashSet<>();

    private final Set<String> calls = new HashSet<>();
    private final Set<String> stepCalls = new HashSet<>();
    private final Set<String> data = new HashSet<>();
    private final Set<String> stepData = new HashSet<>();

    RedoneSteps(BiConsumer<byte[], @Nullable UiChunk> out) {
        this.out = out;
    }

    /** @param chunk the chunk, or null if it is none */
    void add(byte[] raw, @Nullable UiChunk chunk) {
        switch (chunk) {
            case null -> pass(raw, null);
            case UiChunk.Unknown c -> pass(raw, c);
            case UiChunk.StartStep c -> beginStep(raw, c);
            case UiChunk.ResetStep c -> reset(raw, c);
            default -> hold(raw, chunk);
        }
    }

    /** Gives out what is held back. */
    void flush() {
        shown |= !held.isEmpty();
        held.forEach(one -> out.accept(one.raw(), one.chunk()));
        held.clear();
        heldBytes = 0;
    }

    private void pass(byte[] raw, @Nullable UiChunk chunk) {
        flush();
        shown = true;
        out.accept(raw, chunk);
    }

    private void beginStep(byte[] raw, UiChunk chunk) {
        flush();
        out.accept(raw, chunk);
        shown = false;
        entangled = !open.isEmpty();
        calls.addAll(stepCalls);
        stepCalls.clear();
        data.addAll(stepData);
        stepData.clear();
    }

    private void reset(byte[] raw, UiChunk chunk) {
        if (shown || entangled) {
            pass(raw, chunk);
        } else {
            held.removeIf(one -> !survives(one.chunk()));
            heldBytes = held.stream().mapToLong(one -> one.raw().length).sum();
        }
        shown = false;
        entangled = false;
        open.clear();
        stepCalls.clear();
        stepData.clear();
    }

    private void hold(byte[] raw, UiChunk chunk) {
        note(chunk);
        held.add(new Held(raw, chunk));
        heldBytes += raw.length;
        if (heldBytes > UiLimits.MAX_HELD_STEP_BYTES) {
            flush();
        }
    }

    private void note(UiChunk chunk) {
        switch (chunk) {
            case UiChunk.TextStart c -> open.add("text " + c.id());
            case UiChunk.TextDelta c -> open.add("text " + c.id());
            case UiChunk.TextEnd c -> entangled |= !open.remove("text " + c.id());
            case UiChunk.ReasoningStart c -> open.add("reasoning " + c.id());
            case UiChunk.ReasoningDelta c -> open.add("reasoning " + c.id());
            case UiChunk.ReasoningEnd c -> entangled |= !open.remove("reasoning " + c.id());
            case UiChunk.ToolInputStart c -> stepCalls.add(c.toolCallId());
            case UiChunk.ToolInputAvailable c -> stepCalls.add(c.toolCallId());
            case UiChunk.ToolInputError c -> stepCalls.add(c.toolCallId());
            case UiChunk.ToolInputDelta c -> entangled |= !stepCalls.contains(c.toolCallId());
            case UiChunk.ToolOutputAvailable c -> entangled |= !isKnown(c.toolCallId());
            case UiChunk.ToolOutputError c -> entangled |= !isKnown(c.toolCallId());
            case UiChunk.ToolOutputDenied c -> entangled |= !isKnown(c.toolCallId());
            case UiChunk.ToolApprovalRequest c -> entangled = true;
            case UiChunk.ToolApprovalResponse c -> entangled = true;
            case UiChunk.Data c when c.id() != null -> stepData.add(key(c));
            default -> {}
        }
    }

    private boolean isKnown(String callId) {
        return stepCalls.contains(callId) || calls.contains(callId);
    }

    private boolean survives(UiChunk chunk) {
        return switch (chunk) {
            case UiChunk.Start c -> true;
            case UiChunk.Finish c -> true;
            case UiChunk.FinishStep c -> true;
            case UiChunk.MessageMetadata c -> true;
            case UiChunk.StreamError c -> true;
            case UiChunk.Abort c -> true;
            case UiChunk.ToolOutputAvailable c -> !stepCalls.contains(c.toolCallId());
            case UiChunk.ToolOutputError c -> !stepCalls.contains(c.toolCallId());
            case UiChunk.ToolOutputDenied c -> !stepCalls.contains(c.toolCallId());
            case UiChunk.Data c -> c.id() != null && data.contains(key(c));
            default -> false;
        };
    }

    private static String key(UiChunk.Data chunk) {
        return chunk.type() + " " + chunk.id();
    }
}
