package dev.holdfast.mcp.tasks;

import io.modelcontextprotocol.modern.JsonRpc.JSONRPCResponse.JSONRPCError;
import io.modelcontextprotocol.modern.McpException;
import java.util.Map;

/** The JSON-RPC errors of tasks. */
final class TaskErrors {

    static final int INVALID_REQUEST = -32600;
    static final int INTERNAL_ERROR = -32603;
    static final int HEADER_MISMATCH = -32020;
    static final int MISSING_CLIENT_CAPABILITY = -32021;

    /** Of the draft SEP-2694. */
    static final int EVENTS_GONE = -32010;

    /** Why a task failed whose tool ran when the process ended. */
    static final String RESTARTED = "server-restarted";

    private TaskErrors() {}

    /** For ids that are not there, not any more, or not the caller's: nobody learns which. */
    static McpException unknownTask() {
        return McpException.invalidParams(
                "There is no such task: it never was, is not yours, or its time is over. Call the tool again.");
    }

    static McpException invalid(String sentence) {
        return McpException.invalidParams(sentence);
    }

    static McpException extensionMissing() {
        return new McpException(
                MISSING_CLIENT_CAPABILITY,
                "Missing required client capability: declare the extension %s in the request's client capabilities."
                        .formatted(TaskWire.EXTENSION),
                Map.of("requiredCapabilities", Map.of("extensions", Map.of(TaskWire.EXTENSION, Map.of()))));
    }

    static McpException tooMany(String limit, int allowed) {
        return new McpException(
                INTERNAL_ERROR,
                "Too many tasks are unfinished: %s allows %d. Try again when some are done.".formatted(limit, allowed),
                Map.of("reason", "too_many_tasks", "limit", limit, "allowed", allowed));
    }

    /** There is no room for so many bytes now; or never, if they are too many by themselves. */
    static McpException tooManyBytes(long bytes, String limit, long allowed) {
        if (bytes > allowed) {
            return new McpException(
                    INTERNAL_ERROR,
                    "This has %d bytes; %s allows unfinished tasks %d together. Send less."
                            .formatted(bytes, limit, allowed),
                    Map.of("reason", "too_large", "limit", limit, "allowed", allowed));
        }
        return new McpException(
                INTERNAL_ERROR,
                "Unfinished tasks hold too much: %s allows %d bytes. Send less, or try again when some are done."
                        .formatted(limit, allowed),
                Map.of("reason", "too_many_task_bytes", "limit", limit, "allowed", allowed));
    }

    static McpException eventsGone(long earliest) {
        return new McpException(
                EVENTS_GONE,
                "events_gone: the events after this position are not kept any more. Go on from earliestSeq.",
                Map.of("reason", "events_gone", "earliestSeq", earliest));
    }

    static McpException notAllowed() {
        return new McpException(INVALID_REQUEST, "You may not make tasks here.", Map.of("reason", "not_authorized"));
    }

    static McpException notStored() {
        return new McpException(
                INTERNAL_ERROR, "The server cannot store this now. Try again later.", Map.of("reason", "not_stored"));
    }

    static McpException closing() {
        return new McpException(
                INTERNAL_ERROR, "The server is being closed. Try again later.", Map.of("reason", "closing"));
    }

    static JSONRPCError restarted() {
        return new JSONRPCError(
                INTERNAL_ERROR,
                "The server ended while the tool ran, and the tool is not one to be run again. Call it again if that is right.",
                Map.of("reason", RESTARTED));
    }

    static JSONRPCError internal() {
        return new JSONRPCError(INTERNAL_ERROR, "Internal error", Map.of("reason", "internal-error"));
    }

    static JSONRPCError failed(String sentence) {
        return new JSONRPCError(INTERNAL_ERROR, sentence);
    }

    static JSONRPCError tooLarge(String what, long bytes) {
        return new JSONRPCError(
                INTERNAL_ERROR,
                "%s has %d bytes; MAX_EVENT_BYTES allows %d. Let the tool return less, or a link."
                        .formatted(what, bytes, TaskSettings.MAX_EVENT_BYTES),
                Map.of("reason", "too_large", "limit", "MAX_EVENT_BYTES", "allowed", TaskSettings.MAX_EVENT_BYTES));
    }
}
