package dev.holdfast.uimessage;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * One chunk of a UI message stream, as the clients of the AI SDK (npm {@code ai}, majors 5, 6 and 7) read it.
 *
 * <p>Reading checks what those clients check: a known type with a missing or wrong field is refused, since it would end the client's stream.
 * Fields that a type does not define are kept in {@link #extra()} and written again. An unknown type is kept as {@link Unknown}. JSON trees
 * are shared, not copied: do not change them.
 */
public sealed interface UiChunk {

    /** The first major of a client that does not exist: no known client accepts the chunk. */
    int NO_MAJOR = Integer.MAX_VALUE;

    /** The value of the field {@code type}. */
    default String type() {
        return UiChunkTypes.name(this);
    }

    /** Fields that the type does not define. */
    Map<String, JsonNode> extra();

    /** The first major of the client that accepts this chunk; {@link #NO_MAJOR} if none does. */
    default int firstMajor() {
        return UiChunkTypes.firstMajor(this);
    }

    /** Whether clients of this major accept the chunk. One that they do not accept ends their stream with an error. */
    default boolean acceptedBy(int major) {
        return major >= firstMajor() && major <= UiChunkTypes.lastMajor(this);
    }

    /** Whether the chunk is shown once and never stored in the message. */
    default boolean isTransient() {
        return false;
    }

    default ObjectNode toNode() {
        return UiChunkWriter.write(this);
    }

    default byte[] toBytes() {
        return UiJson.write(toNode());
    }

    /**
     * Reads a chunk from JSON in UTF-8.
     *
     * @throws InvalidUiJson if the bytes are not one, or exceed a limit of {@link UiLimits}
     */
    static UiChunk parse(byte[] json) {
        UiChunk delta = PlainDelta.read(json);
        return delta == null ? UiChunkReader.read(UiJson.readChunk(json)) : delta;
    }

    /** Begins the message, or goes on with it. */
    record Start(@Nullable String messageId, @Nullable JsonNode messageMetadata, Map<String, JsonNode> extra)
            implements UiChunk {
        public Start(String messageId) {
            this(messageId, null, Map.of());
        }
    }

    /** Ends the message. */
    record Finish(@Nullable String finishReason, @Nullable JsonNode messageMetadata, Map<String, JsonNode> extra)
            implements UiChunk {
        public Finish(String finishReason) {
            this(finishReason, null, Map.of());
        }
    }

    record StartStep(Map<String, JsonNode> extra) implements UiChunk {
        public StartStep() {
            this(Map.of());
        }
    }

    record FinishStep(Map<String, JsonNode> extra) implements UiChunk {
        public FinishStep() {
            this(Map.of());
        }
    }

    /** Drops the parts of the step in progress. */
    record ResetStep(Map<String, JsonNode> extra) implements UiChunk {
        public ResetStep() {
            this(Map.of());
        }
    }

    record TextStart(String id, @Nullable JsonNode providerMetadata, Map<String, JsonNode> extra) implements UiChunk {
        public TextStart(String id) {
            this(id, null, Map.of());
        }
    }

    record TextDelta(String id, String delta, @Nullable JsonNode providerMetadata, Map<String, JsonNode> extra)
            implements UiChunk {
        public TextDelta(String id, String delta) {
            this(id, delta, null, Map.of());
        }
    }

    /** @param citations references of the text, for clients from 7; earlier ones ignore the field */
    record TextEnd(
            String id,
            @Nullable JsonNode citations,
            @Nullable JsonNode providerMetadata,
            Map<String, JsonNode> extra) implements UiChunk {
        public TextEnd(String id) {
            this(id, null, null, Map.of());
        }
    }

    record ReasoningStart(String id, @Nullable JsonNode providerMetadata, Map<String, JsonNode> extra)
            implements UiChunk {
        public ReasoningStart(String id) {
            this(id, null, Map.of());
        }
    }

    record ReasoningDelta(String id, String delta, @Nullable JsonNode providerMetadata, Map<String, JsonNode> extra)
            implements UiChunk {
        public ReasoningDelta(String id, String delta) {
            this(id, delta, null, Map.of());
        }
    }

    record ReasoningEnd(String id, @Nullable JsonNode providerMetadata, Map<String, JsonNode> extra)
            implements UiChunk {
        public ReasoningEnd(String id) {
            this(id, null, Map.of());
        }
    }

    /** @param inputEncoding {@code json} or {@code text}: what the deltas of the input are */
    record ToolInputStart(
            String toolCallId,
            String toolName,
            @Nullable String inputEncoding,
            ToolTraits traits,
            Map<String, JsonNode> extra)
            implements UiChunk {
        public ToolInputStart(String toolCallId, String toolName, ToolTraits traits) {
            this(toolCallId, toolName, null, traits, Map.of());
        }
    }

    record ToolInputDelta(String toolCallId, String inputTextDelta, Map<String, JsonNode> extra) implements UiChunk {
        public ToolInputDelta(String toolCallId, String inputTextDelta) {
            this(toolCallId, inputTextDelta, Map.of());
        }
    }

    record ToolInputAvailable(
            String toolCallId,
            String toolName,
            @Nullable JsonNode input,
            ToolTraits traits,
            Map<String, JsonNode> extra)
            implements UiChunk {
        public ToolInputAvailable(String toolCallId, String toolName, JsonNode input, ToolTraits traits) {
            this(toolCallId, toolName, input, traits, Map.of());
        }
    }

    record ToolInputError(
            String toolCallId,
            String toolName,
            @Nullable JsonNode input,
            String errorText,
            ToolTraits traits,
            Map<String, JsonNode> extra)
            implements UiChunk {
        public ToolInputError(String toolCallId, String toolName, JsonNode input, String errorText, ToolTraits traits) {
            this(toolCallId, toolName, input, errorText, traits, Map.of());
        }
    }

    /** @param preliminary whether another output of the same call replaces this one later */
    record ToolOutputAvailable(
            String toolCallId,
            @Nullable JsonNode output,
            @Nullable Boolean preliminary,
            ToolTraits traits,
            Map<String, JsonNode> extra)
            implements UiChunk {
        public ToolOutputAvailable(String toolCallId, JsonNode output, ToolTraits traits) {
            this(toolCallId, output, null, traits, Map.of());
        }
    }

    record ToolOutputError(String toolCallId, String errorText, ToolTraits traits, Map<String, JsonNode> extra)
            implements UiChunk {
        public ToolOutputError(String toolCallId, String errorText, ToolTraits traits) {
            this(toolCallId, errorText, traits, Map.of());
        }
    }

    record ToolOutputDenied(String toolCallId, Map<String, JsonNode> extra) implements UiChunk {
        public ToolOutputDenied(String toolCallId) {
            this(toolCallId, Map.of());
        }
    }

    record ToolApprovalRequest(
            String approvalId,
            String toolCallId,
            @Nullable String reason,
            @Nullable Boolean isAutomatic,
            @Nullable String signature,
            @Nullable JsonNode approvalDescriptor,
            @Nullable JsonNode inputSchemaInput,
            Map<String, JsonNode> extra)
            implements UiChunk {
        public ToolApprovalRequest(String approvalId, String toolCallId) {
            this(approvalId, toolCallId, null, null, null, null, null, Map.of());
        }
    }

    record ToolApprovalResponse(
            String approvalId,
            boolean approved,
            @Nullable String reason,
            @Nullable Boolean providerExecuted,
            @Nullable JsonNode providerMetadata,
            Map<String, JsonNode> extra)
            implements UiChunk {}

    record SourceUrl(
            String sourceId,
            String url,
            @Nullable String title,
            @Nullable JsonNode providerMetadata,
            Map<String, JsonNode> extra)
            implements UiChunk {
        public SourceUrl(String sourceId, String url, @Nullable String title) {
            this(sourceId, url, title, null, Map.of());
        }
    }

    record SourceDocument(
            String sourceId,
            String mediaType,
            String title,
            @Nullable String filename,
            @Nullable JsonNode providerMetadata,
            Map<String, JsonNode> extra)
            implements UiChunk {
        public SourceDocument(String sourceId, String mediaType, String title, @Nullable String filename) {
            this(sourceId, mediaType, title, filename, null, Map.of());
        }
    }

    record File(String url, String mediaType, @Nullable JsonNode providerMetadata, Map<String, JsonNode> extra)
            implements UiChunk {
        public File(String url, String mediaType) {
            this(url, mediaType, null, Map.of());
        }
    }

    record ReasoningFile(
            String url, String mediaType, @Nullable JsonNode providerMetadata, Map<String, JsonNode> extra)
            implements UiChunk {}

    /** @param kind of the form {@code provider.type} */
    record Custom(String kind, @Nullable JsonNode providerMetadata, Map<String, JsonNode> extra) implements UiChunk {}

    /** A user's message that joined the run. Clients of late 7 only. */
    record SteeringMessage(String id, ArrayNode parts, Map<String, JsonNode> extra) implements UiChunk {}

    /**
     * A part of the application's own.
     *
     * @param type {@code data-} and a name
     * @param id a later part of the same type and id replaces the data of the earlier one
     * @param transientData whether the part is shown once and not stored; the field {@code transient}
     */
    record Data(
            String type,
            @Nullable String id,
            @Nullable JsonNode data,
            @Nullable Boolean transientData,
            Map<String, JsonNode> extra)
            implements UiChunk {
        public Data(String type, JsonNode data) {
            this(type, null, data, null, Map.of());
        }

        @Override
        public boolean isTransient() {
            return Boolean.TRUE.equals(transientData);
        }
    }

    /** Metadata to merge into the message's. */
    record MessageMetadata(@Nullable JsonNode messageMetadata, Map<String, JsonNode> extra) implements UiChunk {
        public MessageMetadata(JsonNode messageMetadata) {
            this(messageMetadata, Map.of());
        }
    }

    record StreamError(String errorText, Map<String, JsonNode> extra) implements UiChunk {
        public StreamError(String errorText) {
            this(errorText, Map.of());
        }
    }

    /** Clients of 5 ignore the reason. */
    record Abort(@Nullable String reason, Map<String, JsonNode> extra) implements UiChunk {
        public Abort(String reason) {
            this(reason, Map.of());
        }
    }

    /** A chunk of a type that this version does not know, with all its fields in {@link #extra()}. */
    record Unknown(String type, Map<String, JsonNode> extra) implements UiChunk {}
}
