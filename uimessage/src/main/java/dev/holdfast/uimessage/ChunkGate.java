package dev.holdfast.uimessage;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Lets through what a client of one major of the AI SDK accepts, since a single chunk that it does not know ends its stream with an error. What another
 * chunk can say in its place is said so; what none can is left out. The message that such a client makes has the same text as the canonical one; only where
 * a text goes on after the end of its step, clients of 5 and 6 begin another part with the rest.
 *
 * <ul>
 *   <li>Chunks of an unknown type, and what is no chunk, are never sent.
 *   <li>{@code finishReason} {@code interrupted} becomes {@code other} before major 7, {@code unknown} after 5.
 *   <li>A denied call is an error of the call in 5. Requests for approvals are left out in 5, answers to them before 7.
 *   <li>{@code custom}, {@code reasoning-file} and {@code steering-message} are left out before 7.
 *   <li>{@code reset-step} cannot be said before 7: see {@link Verdict.Cut}.
 *   <li>Chunks that refer to nothing would end the stream as well: a delta opens its text first, anything else is left out.
 * </ul>
 *
 * <p>A gate serves one stream of one reader from its first chunk on, replay and live alike. The same chunks give the same verdicts, so positions can be
 * counted in what it lets through. Owned by one thread.
 */
public final class ChunkGate {

    /** The oldest client that is served; the safe choice for one that does not say its major. */
    public static final int OLDEST_MAJOR = 5;

    /** The newest client that is known. */
    public static final int NEWEST_MAJOR = 7;

    /** What becomes of a chunk. */
    public sealed interface Verdict {

        /** These are sent in its place: itself as it came, others, or none. */
        record Send(List<byte[]> chunks) implements Verdict {}

        /**
         * The client cannot follow from here: the stream dropped what it has shown. Break its connection abruptly, so that it reads the stream anew; a compacted
         * replay leaves out what was dropped.
         */
        record Cut() implements Verdict {}
    }

    private static final Verdict NOTHING = new Verdict.Send(List.of());
    private static final String DENIED = "The user did not allow this call.";

    private final int major;
    private final Set<String> texts = new HashSet<>();
    private final Set<String> reasonings = new HashSet<>();
    /** Calls whose input may come in deltas. */
    private final Set<String> inputs = new HashSet<>();
    /** Whether each call is dynamic, by its id: those of earlier steps, and those of the step in progress. */
    private final Map<String, Boolean> calls = new HashMap<>();

    private final Map<String, Boolean> stepCalls = new HashMap<>();
    /** The call that each approval is of, by the approval's id. */
    private final Map<String, String> approvals = new HashMap<>();

    /**
     * @param major the client's, from {@value #OLDEST_MAJOR} to {@value #NEWEST_MAJOR}
     * @param before the message that the stream goes on with, as the client has it, or null if it begins with this stream
     * @throws IllegalArgumentException if the major is not known
     */
    public ChunkGate(int major, @Nullable UiMessage before) {
        if (major < OLDEST_MAJOR || major > NEWEST_MAJOR) {
            throw new IllegalArgumentException("Clients of major %d are not known; there are %d to %d."
                    .formatted(major, OLDEST_MAJOR, NEWEST_MAJOR));
        }
        this.major = major;
        if (before != null) {
            before.parts().forEach(this::know);
        }
    }

    private void know(UiPart part) {
        if (part instanceof UiPart.Tool tool) {
            calls.put(tool.toolCallId(), tool.isDynamic());
            tool.value("approval")
                    .map(approval -> approval.path("id").asString(""))
                    .filter(id -> !id.isEmpty())
                    .ifPresent(id -> approvals.put(id, tool.toolCallId()));
        }
    }

    /** What to send for the next chunk of the stream. */
    @SuppressWarnings("ReferenceEquality") // the same chunk goes on with the bytes it came with
    public Verdict admit(byte[] chunk) {
        UiChunk parsed;
        try {
            parsed = UiChunk.parse(chunk);
        } catch (InvalidUiJson e) {
            return NOTHING;
        }
        if (parsed instanceof UiChunk.ResetStep && major < parsed.firstMajor()) {
            return new Verdict.Cut();
        }
        List<UiChunk> said = said(parsed);
        List<byte[]> out = new ArrayList<>(said.size());
        for (UiChunk one : said) {
            out.add(one == parsed ? chunk : one.toBytes());
        }
        return new Verdict.Send(out);
    }

    private List<UiChunk> said(UiChunk chunk) {
        UiChunk known = translated(chunk);
        if (!known.acceptedBy(major)) {
            return List.of();
        }
        return switch (known) {
            case UiChunk.TextStart c -> {
                texts.add(c.id());
                yield List.of(c);
            }
            case UiChunk.ReasoningStart c -> {
                reasonings.add(c.id());
                yield List.of(c);
            }
            case UiChunk.TextDelta c -> texts.add(c.id()) ? List.of(new UiChunk.TextStart(c.id()), c) : List.of(c);
            case UiChunk.ReasoningDelta c ->
                reasonings.add(c.id()) ? List.of(new UiChunk.ReasoningStart(c.id()), c) : List.of(c);
            case UiChunk.TextEnd c -> texts.remove(c.id()) ? List.of(c) : List.of();
            case UiChunk.ReasoningEnd c -> reasonings.remove(c.id()) ? List.of(c) : List.of();
            case UiChunk.StartStep c -> {
                calls.putAll(stepCalls);
                stepCalls.clear();
                yield List.of(c);
            }
            case UiChunk.FinishStep c -> {
                if (major < 7) {
                    texts.clear();
                    reasonings.clear();
                }
                yield List.of(c);
            }
            case UiChunk.ResetStep c -> {
                texts.clear();
                reasonings.clear();
                inputs.clear();
                approvals.values().removeAll(stepCalls.keySet());
                stepCalls.clear();
                yield List.of(c);
            }
            default -> saidOfTool(known);
        };
    }

    private List<UiChunk> saidOfTool(UiChunk chunk) {
        return switch (chunk) {
            case UiChunk.ToolInputStart c -> {
                inputs.add(c.toolCallId());
                yield announced(c, c.toolCallId(), c.traits());
            }
            case UiChunk.ToolInputAvailable c -> announced(c, c.toolCallId(), c.traits());
            case UiChunk.ToolInputError c -> announced(c, c.toolCallId(), c.traits());
            case UiChunk.ToolInputDelta c -> inputs.contains(c.toolCallId()) ? List.of(c) : List.of();
            case UiChunk.ToolOutputAvailable c
            when isKnown(c.toolCallId()) ->
                isFound(c.toolCallId(), c.traits())
                        ? List.of(c)
                        : List.of(new UiChunk.ToolOutputAvailable(
                                c.toolCallId(),
                                c.output(),
                                c.preliminary(),
                                matching(c.toolCallId(), c.traits()),
                                c.extra()));
            case UiChunk.ToolOutputError c
            when isKnown(c.toolCallId()) ->
                isFound(c.toolCallId(), c.traits())
                        ? List.of(c)
                        : List.of(new UiChunk.ToolOutputError(
                                c.toolCallId(), c.errorText(), matching(c.toolCallId(), c.traits()), c.extra()));
            case UiChunk.ToolOutputAvailable c -> List.of();
            case UiChunk.ToolOutputError c -> List.of();
            case UiChunk.ToolOutputDenied c -> isKnown(c.toolCallId()) ? List.of(c) : List.of();
            case UiChunk.ToolApprovalRequest c -> {
                boolean isKnown = isKnown(c.toolCallId());
                if (isKnown) {
                    approvals.putIfAbsent(c.approvalId(), c.toolCallId());
                }
                yield isKnown ? List.of(c) : List.of();
            }
            case UiChunk.ToolApprovalResponse c -> approvals.containsKey(c.approvalId()) ? List.of(c) : List.of();
            default -> List.of(chunk);
        };
    }

    private List<UiChunk> announced(UiChunk chunk, String id, ToolTraits traits) {
        stepCalls.put(id, traits.isDynamic());
        return List.of(chunk);
    }

    private boolean isKnown(String callId) {
        return stepCalls.containsKey(callId) || calls.containsKey(callId);
    }

    private boolean isDynamic(String callId) {
        return Boolean.TRUE.equals(stepCalls.containsKey(callId) ? stepCalls.get(callId) : calls.get(callId));
    }

    /** Whether the client finds the call that a result is of: those of 5 look among the dynamic or the other calls, as the result says. */
    private boolean isFound(String callId, ToolTraits result) {
        return major > 5 || result.isDynamic() == isDynamic(callId);
    }

    private ToolTraits matching(String callId, ToolTraits result) {
        return new ToolTraits(
                result.providerExecuted(),
                isDynamic(callId) ? true : null,
                result.title(),
                result.providerMetadata(),
                result.toolMetadata());
    }

    /** What this client is told in the chunk's place; the chunk itself if it knows it, or if nothing can take its place. */
    private UiChunk translated(UiChunk chunk) {
        return switch (chunk) {
            case UiChunk.Finish c
            when !c.acceptedBy(major) -> new UiChunk.Finish("other", c.messageMetadata(), c.extra());
            case UiChunk.ToolOutputDenied c
            when !c.acceptedBy(major) ->
                new UiChunk.ToolOutputError(c.toolCallId(), DENIED, ToolTraits.NONE, c.extra());
            default -> chunk;
        };
    }
}
