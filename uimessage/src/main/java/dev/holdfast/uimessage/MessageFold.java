package dev.holdfast.uimessage;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A message in the making: chunks are applied one by one, in constant time each, the way {@code processUIMessageStream} of the AI SDK applies
 * them. Owned by one thread.
 *
 * <p>It differs from the client where the client gives up or would lose what was said, because the message must be written in any case:
 * <ul>
 *   <li>a delta of a text that was never opened opens it; any other chunk that refers to nothing is skipped, and the message says so;
 *   <li>a settled tool call does not change any more, within its step;
 *   <li>the id of the message is given, and a {@code start} with another one neither renames nor empties it.
 * </ul>
 */
final class MessageFold {

    private record ToolKey(boolean dynamic, String id) {}

    private record DataKey(String type, String id) {}

    /** Text that grows, and the part whose field it becomes. */
    private record TextPart(ObjectNode json, StringBuilder text) {}

    private final String messageId;
    private final String role;
    private final Map<String, JsonNode> extra;
    private final List<ObjectNode> parts = new ArrayList<>();
    private final List<TextPart> texts = new ArrayList<>();
    private final List<ToolPart> tools = new ArrayList<>();
    private final Map<String, TextPart> openTexts = new HashMap<>();
    private final Map<String, TextPart> openReasonings = new HashMap<>();
    private final Map<ToolKey, ToolPart> stepTools = new HashMap<>();
    private final Map<String, ToolPart> stepToolsById = new HashMap<>();
    private final Map<String, Deque<ToolPart>> toolsById = new HashMap<>();
    private final Map<String, ToolPart> toolsByApproval = new HashMap<>();
    private final Map<DataKey, ObjectNode> data = new HashMap<>();
    private final MetadataMerge metadata;
    /** Index of the first part of the step in progress. */
    private int step;

    private boolean incomplete;

    MessageFold(String messageId) {
        this.messageId = messageId;
        this.role = "assistant";
        this.extra = Map.of();
        this.metadata = new MetadataMerge(null);
    }

    /** Goes on with a message that was written before. */
    MessageFold(String messageId, UiMessage before) {
        this.messageId = messageId;
        this.role = before.role();
        this.extra = before.extra();
        this.metadata = new MetadataMerge(before.metadata());
        before.parts().forEach(this::restore);
    }

    private void restore(UiPart part) {
        switch (part) {
            case UiPart.StepStart s -> startStep(s.json());
            case UiPart.Tool tool -> addTool(new ToolPart(tool));
            case UiPart.Data d -> addData(d.json());
            default -> parts.add(part.json());
        }
    }

    /** Applies a chunk, if it is one. */
    void accept(byte[] chunk) {
        try {
            accept(UiChunk.parse(chunk));
        } catch (InvalidUiJson e) {
            incomplete = true;
        }
    }

    void accept(UiChunk chunk) {
        switch (chunk) {
            case UiChunk.TextStart c -> openText(openTexts, "text", c.id(), c.providerMetadata());
            case UiChunk.TextDelta c -> appendText(openTexts, "text", c.id(), c.delta(), c.providerMetadata());
            case UiChunk.TextEnd c -> endText(openTexts, c.id(), c.providerMetadata(), c.citations());
            case UiChunk.ReasoningStart c -> openText(openReasonings, "reasoning", c.id(), c.providerMetadata());
            case UiChunk.ReasoningDelta c ->
                appendText(openReasonings, "reasoning", c.id(), c.delta(), c.providerMetadata());
            case UiChunk.ReasoningEnd c -> endText(openReasonings, c.id(), c.providerMetadata(), null);
            case UiChunk.StartStep c -> startStep(part("step-start"));
            case UiChunk.ResetStep c -> resetStep();
            case UiChunk.Start c -> metadata.merge(c.messageMetadata());
            case UiChunk.Finish c -> metadata.merge(c.messageMetadata());
            case UiChunk.MessageMetadata c -> metadata.merge(c.messageMetadata());
            case UiChunk.Data c -> acceptData(c);
            case UiChunk.SourceUrl c -> addAsPart(c);
            case UiChunk.SourceDocument c -> addAsPart(c);
            case UiChunk.File c -> addAsPart(c);
            case UiChunk.ReasoningFile c -> addAsPart(c);
            case UiChunk.Custom c -> addAsPart(c);
            case UiChunk.SteeringMessage c -> addAsPart(c);
            case UiChunk.FinishStep c -> {}
            case UiChunk.StreamError c -> {}
            case UiChunk.Abort c -> {}
            case UiChunk.Unknown c -> incomplete = true;
            default -> acceptTool(chunk);
        }
    }

    private void acceptTool(UiChunk chunk) {
        switch (chunk) {
            case UiChunk.ToolInputStart c -> beginInput(c);
            case UiChunk.ToolInputDelta c ->
                change(lastOf(c.toolCallId()), tool -> {
                    if (tool.isState("input-streaming")) {
                        tool.appendInput(c.inputTextDelta());
                    }
                });
            case UiChunk.ToolInputAvailable c ->
                change(announced(c.toolCallId(), c.traits().isDynamic()), tool -> {
                    tool.named(c.toolName());
                    tool.apply(new ToolPart.Update("input-available", c.input(), null, null, null, c.traits()));
                });
            case UiChunk.ToolInputError c -> failInput(c);
            case UiChunk.ToolOutputAvailable c ->
                change(called(c.toolCallId()), tool -> {
                    tool.showInput();
                    tool.apply(new ToolPart.Update(
                            "output-available", tool.json.get("input"), c.output(), null, c.preliminary(), c.traits()));
                });
            case UiChunk.ToolOutputError c ->
                change(called(c.toolCallId()), tool -> tool.fail(c.errorText(), c.traits()));
            case UiChunk.ToolOutputDenied c ->
                change(called(c.toolCallId()), tool -> tool.json.put("state", "output-denied"));
            case UiChunk.ToolApprovalRequest c ->
                change(called(c.toolCallId()), tool -> {
                    tool.askApproval(c);
                    toolsByApproval.putIfAbsent(c.approvalId(), tool);
                });
            case UiChunk.ToolApprovalResponse c ->
                change(toolsByApproval.get(c.approvalId()), tool -> tool.answerApproval(c));
            default -> throw new AssertionError("No rule for chunks of type " + chunk.type());
        }
    }

    /** Ends what is open: texts are done; with {@code errorText}, tool calls without a result end with it. */
    void close(@Nullable String errorText) {
        for (ObjectNode part : parts) {
            if (UiPartFields.text(part, "state").filter("streaming"::equals).isPresent()) {
                part.put("state", "done");
            }
        }
        if (errorText == null) {
            return;
        }
        for (ToolPart tool : tools) {
            if (!isOver(tool)) {
                tool.interrupt(errorText);
            }
        }
    }

    /** The message as it stands. The fold goes on with the same parts: write the message before another chunk is applied. */
    UiMessage message() {
        texts.forEach(text -> text.json().put("text", text.text().toString()));
        tools.forEach(ToolPart::showInput);
        return new UiMessage(
                messageId,
                role,
                metadata.value(),
                parts.stream().map(UiPart::of).toList(),
                extra);
    }

    MetadataMerge metadata() {
        return metadata;
    }

    /** Whether there is something to keep: more than marks of steps. */
    boolean hasContent() {
        return parts.stream()
                .anyMatch(part -> !UiPartFields.text(part, "type")
                        .filter("step-start"::equals)
                        .isPresent());
    }

    /** Whether a chunk could not be applied. */
    boolean isIncomplete() {
        return incomplete;
    }

    private static boolean isOver(ToolPart tool) {
        // A preliminary output stays: it is the best that is known.
        return tool.isSettled() || tool.isState("output-available");
    }

    private static ObjectNode part(String type) {
        ObjectNode part = UiJson.object();
        part.put("type", type);
        return part;
    }

    private TextPart openText(Map<String, TextPart> open, String type, String id, @Nullable JsonNode providerMetadata) {
        ObjectNode json = part(type);
        if (type.equals("reasoning")) {
            json.put("id", id);
        }
        json.put("text", "");
        if (providerMetadata != null) {
            json.set("providerMetadata", providerMetadata);
        }
        json.put("state", "streaming");
        TextPart text = new TextPart(json, new StringBuilder());
        open.put(id, text);
        texts.add(text);
        parts.add(json);
        return text;
    }

    private void appendText(
            Map<String, TextPart> open, String type, String id, String delta, @Nullable JsonNode providerMetadata) {
        TextPart text = open.get(id);
        if (text == null) {
            text = openText(open, type, id, null);
        }
        text.text().append(delta);
        if (providerMetadata != null) {
            text.json().set("providerMetadata", providerMetadata);
        }
    }

    private void endText(
            Map<String, TextPart> open, String id, @Nullable JsonNode providerMetadata, @Nullable JsonNode citations) {
        TextPart text = open.remove(id);
        if (text == null) {
            incomplete = true;
            return;
        }
        text.json().put("state", "done");
        if (citations != null && !citations.isNull()) {
            text.json().set("citations", citations);
        }
        if (providerMetadata != null) {
            text.json().set("providerMetadata", providerMetadata);
        }
    }

    private void startStep(ObjectNode json) {
        parts.add(json);
        step = parts.size();
        stepTools.clear();
        stepToolsById.clear();
    }

    private void resetStep() {
        List<ObjectNode> dropped = parts.subList(step, parts.size());
        for (int i = tools.size() - stepToolCount(); i < tools.size(); ) {
            forget(tools.remove(i));
        }
        for (ObjectNode part : dropped) {
            if (UiPart.of(part) instanceof UiPart.Data d && d.text("id").isPresent()) {
                data.remove(new DataKey(d.type(), d.text("id").orElseThrow()), part);
            }
        }
        dropped.clear();
        openTexts.clear();
        openReasonings.clear();
        stepTools.clear();
        stepToolsById.clear();
    }

    private int stepToolCount() {
        return (int) parts.subList(step, parts.size()).stream()
                .filter(part -> UiPart.of(part) instanceof UiPart.Tool)
                .count();
    }

    private void forget(ToolPart tool) {
        Deque<ToolPart> same = toolsById.get(tool.id);
        if (same != null) {
            same.remove(tool);
        }
        if (tool.json.get("approval") instanceof ObjectNode approval) {
            UiPartFields.text(approval, "id").ifPresent(id -> toolsByApproval.remove(id, tool));
        }
    }

    private void addAsPart(UiChunk chunk) {
        ObjectNode json = chunk.toNode();
        chunk.extra().keySet().forEach(json::remove);
        parts.add(json);
    }

    private void acceptData(UiChunk.Data chunk) {
        if (chunk.isTransient()) {
            return;
        }
        ObjectNode earlier = chunk.id() == null ? null : data.get(new DataKey(chunk.type(), chunk.id()));
        if (earlier == null) {
            addData(chunk.toNode());
        } else if (chunk.data() == null) {
            earlier.remove("data");
        } else {
            earlier.set("data", chunk.data());
        }
    }

    private void addData(ObjectNode json) {
        parts.add(json);
        UiPartFields.text(json, "id")
                .ifPresent(id -> data.putIfAbsent(
                        new DataKey(UiPartFields.text(json, "type").orElse(""), id), json));
    }

    private void addTool(ToolPart tool) {
        parts.add(tool.json);
        tools.add(tool);
        stepTools.putIfAbsent(new ToolKey(tool.dynamic, tool.id), tool);
        stepToolsById.putIfAbsent(tool.id, tool);
        toolsById.computeIfAbsent(tool.id, id -> new ArrayDeque<>()).push(tool);
        if (tool.json.get("approval") instanceof ObjectNode approval) {
            UiPartFields.text(approval, "id").ifPresent(id -> toolsByApproval.putIfAbsent(id, tool));
        }
    }

    private void change(@Nullable ToolPart tool, Consumer<ToolPart> change) {
        if (tool == null) {
            incomplete = true;
        } else if (!tool.isSettled()) {
            change.accept(tool);
        }
    }

    private void beginInput(UiChunk.ToolInputStart chunk) {
        change(announced(chunk.toolCallId(), chunk.traits().isDynamic()), tool -> {
            tool.named(chunk.toolName());
            tool.beginInput(chunk.inputEncoding(), chunk.traits());
        });
    }

    private void failInput(UiChunk.ToolInputError chunk) {
        ToolPart known = stepToolsById.get(chunk.toolCallId());
        change(
                known != null
                        ? known
                        : announced(chunk.toolCallId(), chunk.traits().isDynamic()),
                tool -> {
                    tool.named(chunk.toolName());
                    tool.apply(new ToolPart.Update(
                            "output-error", chunk.input(), null, chunk.errorText(), null, chunk.traits()));
                });
    }

    /** The call of the step in progress, added if it is new there. */
    private ToolPart announced(String id, boolean dynamic) {
        ToolPart tool = stepTools.get(new ToolKey(dynamic, id));
        if (tool == null) {
            tool = new ToolPart(id, dynamic);
            addTool(tool);
        }
        return tool;
    }

    /** The call that a result belongs to: of the step in progress, else the newest of an earlier one. */
    private @Nullable ToolPart called(String id) {
        ToolPart tool = stepToolsById.get(id);
        return tool != null ? tool : lastOf(id);
    }

    private @Nullable ToolPart lastOf(String id) {
        Deque<ToolPart> same = toolsById.get(id);
        return same == null ? null : same.peek();
    }
}
