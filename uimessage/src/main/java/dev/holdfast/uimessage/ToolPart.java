package dev.holdfast.uimessage;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A tool call while a message is made. Follows {@code updateToolPart} and {@code updateDynamicToolPart} of the AI SDK, except that a settled
 * call does not change any more: a result that was seen is never lost to a replay.
 */
final class ToolPart {

    final ObjectNode json;
    final String id;
    final boolean dynamic;
    private final StringBuilder rawInput = new StringBuilder();
    /** Whether {@link #rawInput} has text that the fields of {@link #json} do not show yet. */
    private boolean rawInputChanged;

    ToolPart(String id, boolean dynamic) {
        this.json = UiJson.object();
        this.id = id;
        this.dynamic = dynamic;
        json.put("type", "dynamic-tool");
        json.put("toolCallId", id);
    }

    /** A call of a message that was written before. */
    ToolPart(UiPart.Tool part) {
        this.json = part.json();
        this.id = part.toolCallId();
        this.dynamic = part.isDynamic();
        part.rawInput().ifPresent(rawInput::append);
    }

    /** What an update says; what it leaves out is removed, except title, metadata and who executes. */
    record Update(
            String state,
            @Nullable JsonNode input,
            @Nullable JsonNode output,
            @Nullable String errorText,
            @Nullable Boolean preliminary,
            ToolTraits traits) {}

    UiPart.Tool view() {
        return new UiPart.Tool(json);
    }

    boolean isSettled() {
        return view().isSettled();
    }

    boolean isState(String state) {
        return view().state().equals(state);
    }

    void named(String name) {
        json.put(dynamic ? "toolName" : "type", dynamic ? name : "tool-" + name);
    }

    void beginInput(@Nullable String encoding, ToolTraits traits) {
        rawInput.setLength(0);
        rawInputChanged = false;
        apply(new Update("input-streaming", null, null, null, null, traits));
        if (encoding != null) {
            json.put("inputEncoding", encoding);
        }
    }

    void appendInput(String delta) {
        rawInput.append(delta);
        rawInputChanged = true;
    }

    void apply(Update update) {
        json.put("state", update.state());
        set("input", update.input());
        set("output", update.output());
        json.remove("errorText");
        if (update.errorText() != null) {
            json.put("errorText", update.errorText());
        }
        json.remove("rawInput");
        json.remove("inputEncoding");
        json.remove("preliminary");
        if (update.preliminary() != null) {
            json.put("preliminary", update.preliminary());
        }
        applyTraits(update.traits(), update.state().startsWith("output-"));
        rawInputChanged = false;
    }

    /** The error of a call that stays otherwise as it is. */
    void fail(String errorText, ToolTraits traits) {
        showInput();
        JsonNode rawInputField = json.get("rawInput");
        apply(new Update("output-error", json.get("input"), null, errorText, null, traits));
        if (rawInputField != null && !dynamic) {
            json.set("rawInput", rawInputField);
        }
    }

    /** Lets the fields show the input as far as it has come. */
    void showInput() {
        if (!rawInputChanged) {
            return;
        }
        rawInputChanged = false;
        String text = rawInput.toString();
        json.put("rawInput", text);
        if (UiPartFields.text(json, "inputEncoding").filter("text"::equals).isPresent()) {
            json.put("input", text);
        } else {
            set("input", PartialJson.read(text));
        }
    }

    void askApproval(UiChunk.ToolApprovalRequest chunk) {
        showInput();
        ObjectNode approval = UiJson.object();
        approval.put("id", chunk.approvalId());
        if (chunk.approvalDescriptor() != null && !chunk.approvalDescriptor().isNull()) {
            approval.set("descriptor", chunk.approvalDescriptor());
        }
        if (chunk.inputSchemaInput() != null) {
            approval.set("inputSchemaInput", chunk.inputSchemaInput());
        }
        if (chunk.reason() != null) {
            approval.put("requestReason", chunk.reason());
        }
        if (Boolean.TRUE.equals(chunk.isAutomatic())) {
            approval.put("isAutomatic", true);
        }
        if (chunk.signature() != null) {
            approval.put("signature", chunk.signature());
        }
        json.put("state", "approval-requested");
        json.set("approval", approval);
    }

    void answerApproval(UiChunk.ToolApprovalResponse chunk) {
        json.put("state", "approval-responded");
        if (json.get("approval") instanceof ObjectNode approval) {
            approval.put("approved", chunk.approved());
            if (chunk.reason() != null) {
                approval.put("reason", chunk.reason());
            }
        }
        if (chunk.providerExecuted() != null) {
            json.put("providerExecuted", chunk.providerExecuted());
        }
        if (chunk.providerMetadata() != null) {
            json.set("callProviderMetadata", chunk.providerMetadata());
        }
    }

    /** Ends a call that has no result: models refuse a conversation with a call that lacks one. */
    void interrupt(String errorText) {
        showInput();
        boolean denied =
                json.get("approval") instanceof ObjectNode approval && UiPartFields.isFalse(approval, "approved");
        if (denied) {
            json.put("state", "output-denied");
            return;
        }
        String raw =
                isState("input-streaming") ? UiPartFields.text(json, "rawInput").orElse(null) : null;
        json.put("state", "output-error");
        json.put("errorText", errorText);
        json.remove("output");
        json.remove("preliminary");
        json.remove("inputEncoding");
        json.remove("rawInput");
        if (json.get("approval") instanceof ObjectNode approval && !UiPartFields.isTrue(approval, "approved")) {
            json.remove("approval");
        }
        if (raw != null) {
            JsonNode whole = UiJson.tryRead(raw);
            set("input", whole);
            if (whole == null) {
                json.put("rawInput", raw);
            }
        }
    }

    private void applyTraits(ToolTraits traits, boolean isResult) {
        if (traits.title() != null) {
            json.put("title", traits.title());
        }
        if (traits.toolMetadata() != null) {
            json.set("toolMetadata", traits.toolMetadata());
        }
        if (traits.providerExecuted() != null) {
            json.put("providerExecuted", traits.providerExecuted());
        }
        if (traits.providerMetadata() != null) {
            json.set(isResult ? "resultProviderMetadata" : "callProviderMetadata", traits.providerMetadata());
        }
    }

    private void set(String field, @Nullable JsonNode value) {
        if (value == null) {
            json.remove(field);
        } else {
            json.set(field, value);
        }
    }
}
