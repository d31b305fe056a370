package dev.holdfast.uimessage;

/** What the types of chunks are called, and which clients know them: the table of the wire. */
final class UiChunkTypes {

    private UiChunkTypes() {}

    static String name(UiChunk chunk) {
        return switch (chunk) {
            case UiChunk.Start c -> "start";
            case UiChunk.Finish c -> "finish";
            case UiChunk.StartStep c -> "start-step";
            case UiChunk.FinishStep c -> "finish-step";
            case UiChunk.ResetStep c -> "reset-step";
            case UiChunk.TextStart c -> "text-start";
            case UiChunk.TextDelta c -> "text-delta";
            case UiChunk.TextEnd c -> "text-end";
            case UiChunk.ReasoningStart c -> "reasoning-start";
            case UiChunk.ReasoningDelta c -> "reasoning-delta";
            case UiChunk.ReasoningEnd c -> "reasoning-end";
            case UiChunk.ToolInputStart c -> "tool-input-start";
            case UiChunk.ToolInputDelta c -> "tool-input-delta";
            case UiChunk.ToolInputAvailable c -> "tool-input-available";
            case UiChunk.ToolInputError c -> "tool-input-error";
            case UiChunk.ToolOutputAvailable c -> "tool-output-available";
            case UiChunk.ToolOutputError c -> "tool-output-error";
            case UiChunk.ToolOutputDenied c -> "tool-output-denied";
            case UiChunk.ToolApprovalRequest c -> "tool-approval-request";
            case UiChunk.ToolApprovalResponse c -> "tool-approval-response";
            case UiChunk.SourceUrl c -> "source-url";
            case UiChunk.SourceDocument c -> "source-document";
            case UiChunk.File c -> "file";
            case UiChunk.ReasoningFile c -> "reasoning-file";
            case UiChunk.Custom c -> "custom";
            case UiChunk.SteeringMessage c -> "steering-message";
            case UiChunk.MessageMetadata c -> "message-metadata";
            case UiChunk.StreamError c -> "error";
            case UiChunk.Abort c -> "abort";
            case UiChunk.Data c -> c.type();
            case UiChunk.Unknown c -> c.type();
        };
    }

    /** The first major of the client that accepts the chunk. */
    static int firstMajor(UiChunk chunk) {
        return switch (chunk) {
            case UiChunk.ToolApprovalRequest c -> 6;
            case UiChunk.ToolOutputDenied c -> 6;
            case UiChunk.ToolApprovalResponse c -> 7;
            case UiChunk.ResetStep c -> 7;
            case UiChunk.ReasoningFile c -> 7;
            case UiChunk.Custom c -> 7;
            case UiChunk.SteeringMessage c -> 7;
            case UiChunk.Finish c -> "interrupted".equals(c.finishReason()) ? 7 : 5;
            case UiChunk.Unknown c -> UiChunk.NO_MAJOR;
            default -> 5;
        };
    }

    /** The last major of the client that accepts the chunk; no chunk but one was ever taken away. */
    static int lastMajor(UiChunk chunk) {
        return chunk instanceof UiChunk.Finish finish && "unknown".equals(finish.finishReason()) ? 5 : UiChunk.NO_MAJOR;
    }
}
