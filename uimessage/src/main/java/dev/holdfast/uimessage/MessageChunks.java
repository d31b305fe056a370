package dev.holdfast.uimessage;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The chunks of which a client makes a message that is there already: for readers who come when the stream is gone, or who need what was written
 * before it began. {@link UiMessageAssembler} makes the same parts of them; parts of types that no chunk carries are left out.
 *
 * <p>A call that has its result is told without {@code tool-input-available}, at which a client would run its tool once more.
 */
public final class MessageChunks {

    private final List<UiChunk> out = new ArrayList<>();
    private boolean inStep;

    private MessageChunks() {}

    /** The whole message, from its {@code start} on; without an end. */
    public static List<UiChunk> of(UiMessage message) {
        return from(message, 0);
    }

    /**
     * What follows the first parts of the message, after a {@code start} with its id and metadata; without an end.
     *
     * @param part how many parts are left out
     */
    public static List<UiChunk> from(UiMessage message, int part) {
        MessageChunks chunks = new MessageChunks();
        chunks.out.add(new UiChunk.Start(message.id(), message.metadata(), Map.of()));
        List<UiPart> parts = message.parts();
        for (int i = Math.min(part, parts.size()); i < parts.size(); i++) {
            chunks.add(parts.get(i), "part-" + i);
        }
        if (chunks.inStep) {
            chunks.out.add(new UiChunk.FinishStep());
        }
        return chunks.out;
    }

    private void add(UiPart part, String id) {
        switch (part) {
            case UiPart.StepStart s -> {
                if (inStep) {
                    out.add(new UiChunk.FinishStep());
                }
                out.add(new UiChunk.StartStep());
                inStep = true;
            }
            case UiPart.Text text -> {
                out.add(new UiChunk.TextStart(id, field(text, "providerMetadata"), Map.of()));
                out.add(new UiChunk.TextDelta(id, text.text()));
                out.add(new UiChunk.TextEnd(id, field(text, "citations"), null, Map.of()));
            }
            case UiPart.Reasoning reasoning -> {
                String own = reasoning.text("id").orElse(id);
                out.add(new UiChunk.ReasoningStart(own, field(reasoning, "providerMetadata"), Map.of()));
                out.add(new UiChunk.ReasoningDelta(own, reasoning.text()));
                out.add(new UiChunk.ReasoningEnd(own));
            }
            case UiPart.Tool call -> addCall(call);
            default -> addAsItIs(part);
        }
    }

    /** Parts that are their chunk. */
    private void addAsItIs(UiPart part) {
        try {
            UiChunk chunk = UiChunk.parse(UiJson.write(part.json()));
            if (!(chunk instanceof UiChunk.Unknown)) {
                out.add(chunk);
            }
        } catch (InvalidUiJson e) {
            return; // no client would take it
        }
    }

    private void addCall(UiPart.Tool call) {
        String id = call.toolCallId();
        Optional<String> raw = call.rawInput();
        switch (call.state()) {
            case "input-streaming" -> {
                String encoding = call.text("inputEncoding").orElse(null);
                out.add(new UiChunk.ToolInputStart(id, call.toolName(), encoding, asked(call), Map.of()));
                raw.ifPresent(text -> out.add(new UiChunk.ToolInputDelta(id, text, Map.of())));
            }
            case "output-error" -> {
                String error = call.errorText().orElse("");
                boolean plain =
                        !call.isProviderExecuted() && call.value("approval").isEmpty();
                if (plain || call.input().isEmpty()) {
                    JsonNode input =
                            call.input().or(() -> raw.map(UiJson::text)).orElse(null);
                    out.add(new UiChunk.ToolInputError(id, call.toolName(), input, error, asked(call), Map.of()));
                } else {
                    announce(call);
                    out.add(new UiChunk.ToolOutputError(id, error, result(call), Map.of()));
                }
            }
            case "output-available" -> {
                announce(call);
                Boolean preliminary = call.isSettled() ? null : Boolean.TRUE;
                out.add(new UiChunk.ToolOutputAvailable(
                        id, call.output().orElse(null), preliminary, result(call), Map.of()));
            }
            case "output-denied" -> {
                announce(call);
                out.add(new UiChunk.ToolOutputDenied(id));
            }
            default -> announce(call);
        }
    }

    /** The call with its input, and what was asked and decided about it. */
    private void announce(UiPart.Tool call) {
        String id = call.toolCallId();
        JsonNode input = call.input().orElse(null);
        if (call.isSettled() && !call.isProviderExecuted() && input != null) {
            out.add(new UiChunk.ToolInputStart(id, call.toolName(), null, asked(call), Map.of()));
            out.add(new UiChunk.ToolInputDelta(id, input.toString(), Map.of()));
        } else {
            out.add(new UiChunk.ToolInputAvailable(id, call.toolName(), input, asked(call), Map.of()));
        }
        if (call.json().get("approval") instanceof ObjectNode approval) {
            UiPartFields.text(approval, "id").ifPresent(approvalId -> addApproval(id, approvalId, approval));
        }
    }

    private void addApproval(String callId, String approvalId, ObjectNode approval) {
        out.add(new UiChunk.ToolApprovalRequest(
                approvalId,
                callId,
                UiPartFields.text(approval, "requestReason").orElse(null),
                UiPartFields.isTrue(approval, "isAutomatic") ? true : null,
                UiPartFields.text(approval, "signature").orElse(null),
                approval.get("descriptor"),
                approval.get("inputSchemaInput"),
                Map.of()));
        JsonNode approved = approval.get("approved");
        if (approved != null && approved.isBoolean()) {
            String reason = UiPartFields.text(approval, "reason").orElse(null);
            out.add(new UiChunk.ToolApprovalResponse(
                    approvalId, approved.booleanValue(), reason, null, null, Map.of()));
        }
    }

    private static ToolTraits asked(UiPart.Tool call) {
        return new ToolTraits(
                executed(call),
                call.isDynamic() ? true : null,
                call.text("title").orElse(null),
                field(call, "callProviderMetadata"),
                field(call, "toolMetadata"));
    }

    private static ToolTraits result(UiPart.Tool call) {
        return new ToolTraits(
                executed(call), call.isDynamic() ? true : null, null, field(call, "resultProviderMetadata"), null);
    }

    private static @Nullable Boolean executed(UiPart.Tool call) {
        return call.isProviderExecuted() ? true : null;
    }

    private static @Nullable JsonNode field(UiPart part, String name) {
        return part.value(name).filter(node -> !node.isNull()).orElse(null);
    }
}
