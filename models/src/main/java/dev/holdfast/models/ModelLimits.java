package dev.holdfast.models;

/** The limits of this module. */
public final class ModelLimits {

    /** Longest event that is read from a provider, in bytes. */
    public static final int MAX_EVENT_BYTES = 16 << 20;

    /** How deep the JSON of a provider's event may nest. */
    public static final int MAX_NESTING_DEPTH = 256;

    /** How much of a provider's error answer is read, in bytes. */
    public static final int MAX_ERROR_BODY_BYTES = 8 << 10;

    /** How much of the conversation is sent to a model, in bytes of the stored messages; the newest are kept. */
    public static final long MAX_HISTORY_BYTES = 8L << 20;

    /** Tool calls of one answer. */
    public static final int MAX_TOOL_CALLS = 1024;

    /** Answers of the model in one turn, over all its waits. */
    public static final int MAX_STEPS = 64;

    /** Tools of one turn that run at the same time; further calls wait for one to end. */
    public static final int MAX_PARALLEL_TOOLS = 16;

    /** Attachments that are sent to a model with a conversation, in bytes together; the newest are sent. */
    public static final long MAX_ATTACHMENT_BYTES = 32L << 20;

    /** Longest result of a tool, in bytes of JSON; below the limit of a stream's chunk. */
    public static final int MAX_TOOL_OUTPUT_BYTES = 768 << 10;

    private ModelLimits() {}
}
