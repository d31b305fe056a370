package dev.holdfast.uimessage;

import dev.holdfast.uimessage.UiChunk.*;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Writes one chunk as its JSON object: the fields of its type, then the extra ones. */
final class UiChunkWriter {

    private final ObjectNode node = UiJson.object();

    private UiChunkWriter() {}

    static ObjectNode write(UiChunk chunk) {
        UiChunkWriter writer = new UiChunkWriter();
        writer.put("type", chunk.type());
        writer.fields(chunk);
        chunk.extra().forEach(writer.node::set);
        return writer.node;
    }

    private void fields(UiChunk chunk) {
        switch (chunk) {
            case Start c -> put("messageId", c.messageId()).put("messageMetadata", c.messageMetadata());
            case Finish c -> put("finishReason", c.finishReason()).put("messageMetadata", c.messageMetadata());
            case StartStep c -> {}
            case FinishStep c -> {}
            case ResetStep c -> {}
            case TextStart c -> put("id", c.id()).put("providerMetadata", c.providerMetadata());
            case TextDelta c -> put("id", c.id()).put("delta", c.delta()).put("providerMetadata", c.providerMetadata());
            case TextEnd c ->
                put("id", c.id()).put("citations", c.citations()).put("providerMetadata", c.providerMetadata());
            case ReasoningStart c -> put("id", c.id()).put("providerMetadata", c.providerMetadata());
            case ReasoningDelta c ->
                put("id", c.id()).put("delta", c.delta()).put("providerMetadata", c.providerMetadata());
            case ReasoningEnd c -> put("id", c.id()).put("providerMetadata", c.providerMetadata());
            case ToolInputStart c ->
                put("toolCallId", c.toolCallId())
                        .put("toolName", c.toolName())
                        .put("inputEncoding", c.inputEncoding())
                        .put(c.traits());
            case ToolInputDelta c -> put("toolCallId", c.toolCallId()).put("inputTextDelta", c.inputTextDelta());
            case ToolInputAvailable c ->
                put("toolCallId", c.toolCallId())
                        .put("toolName", c.toolName())
                        .put("input", c.input())
                        .put(c.traits());
            case ToolInputError c ->
                put("toolCallId", c.toolCallId())
                        .put("toolName", c.toolName())
                        .put("input", c.input())
                        .put("errorText", c.errorText())
                        .put(c.traits());
            case ToolOutputAvailable c ->
                put("toolCallId", c.toolCallId())
                        .put("output", c.output())
                        .put("preliminary", c.preliminary())
                        .put(c.traits());
            case ToolOutputError c ->
                put("toolCallId", c.toolCallId())
                        .put("errorText", c.errorText())
                        .put(c.traits());
            case ToolOutputDenied c -> put("toolCallId", c.toolCallId());
            case ToolApprovalRequest c ->
                put("approvalId", c.approvalId())
                        .put("toolCallId", c.toolCallId())
                        .put("reason", c.reason())
                        .put("isAutomatic", c.isAutomatic())
                        .put("signature", c.signature())
                        .put("approvalDescriptor", c.approvalDescriptor())
                        .put("inputSchemaInput", c.inputSchemaInput());
            case ToolApprovalResponse c ->
                put("approvalId", c.approvalId())
                        .put("approved", c.approved())
                        .put("reason", c.reason())
                        .put("providerExecuted", c.providerExecuted())
                        .put("providerMetadata", c.providerMetadata());
            case SourceUrl c ->
                put("sourceId", c.sourceId())
                        .put("url", c.url())
                        .put("title", c.title())
                        .put("providerMetadata", c.providerMetadata());
            case SourceDocument c ->
                put("sourceId", c.sourceId())
                        .put("mediaType", c.mediaType())
                        .put("title", c.title())
                        .put("filename", c.filename())
                        .put("providerMetadata", c.providerMetadata());
            case UiChunk.File c ->
                put("url", c.url()).put("mediaType", c.mediaType()).put("providerMetadata", c.providerMetadata());
            case ReasoningFile c ->
                put("url", c.url()).put("mediaType", c.mediaType()).put("providerMetadata", c.providerMetadata());
            case Custom c -> put("kind", c.kind()).put("providerMetadata", c.providerMetadata());
            case SteeringMessage c -> put("id", c.id()).put("parts", c.parts());
            case Data c -> put("id", c.id()).put("data", c.data()).put("transient", c.transientData());
            case MessageMetadata c -> put("messageMetadata", c.messageMetadata());
            case UiChunk.StreamError c -> put("errorText", c.errorText());
            case Abort c -> put("reason", c.reason());
            case Unknown c -> {}
        }
    }

    private UiChunkWriter put(String name, @Nullable String value) {
        if (value != null) {
            node.put(name, value);
        }
        return this;
    }

    private UiChunkWriter put(String name, @Nullable Boolean value) {
        if (value != null) {
            node.put(name, value);
        }
        return this;
    }

    private UiChunkWriter put(String name, @Nullable JsonNode value) {
        if (value != null) {
            node.set(name, value);
        }
        return this;
    }

    private void put(ToolTraits traits) {
        put("providerExecuted", traits.providerExecuted());
        put("dynamic", traits.dynamic());
        put("title", traits.title());
        put("providerMetadata", traits.providerMetadata());
        put("toolMetadata", traits.toolMetadata());
    }
}
