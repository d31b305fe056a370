package dev.holdfast.mcp.tasks;

import io.modelcontextprotocol.modern.JsonRpc.JSONRPCResponse.JSONRPCError;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a task ends.
 *
 * @param status a final one
 * @param message what people may be told, or null
 * @param outcome the result or the error, or null
 */
record Ending(
        TaskState.Status status,
        @Nullable String message,
        @Nullable Map<String, @Nullable Object> outcome) {

    static final Ending CANCELLED = new Ending(TaskState.Status.CANCELLED, "The client cancelled the task", null);

    /**
     * With what the tool returned, be it an error of the tool's own.
     *
     * @param result its members
     */
    static Ending completed(Map<String, @Nullable Object> result) {
        boolean isError = Boolean.TRUE.equals(result.get("isError"));
        return new Ending(TaskState.Status.COMPLETED, isError ? "The tool reported an error" : null, result);
    }

    /** With an error of JSON-RPC. */
    static Ending failed(JSONRPCError error) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("code", error.code());
        members.put("message", error.message());
        if (error.data() != null) {
            members.put("data", error.data());
        }
        return new Ending(TaskState.Status.FAILED, error.message(), members);
    }

    /** The event that tells of it. */
    Map<String, @Nullable Object> data() {
        Map<String, @Nullable Object> data = new LinkedHashMap<>();
        data.put("status", status.wire());
        if (outcome != null) {
            data.put(status == TaskState.Status.COMPLETED ? "result" : "error", outcome);
        }
        return data;
    }

    TaskState state(long now) {
        return new TaskState(status, message, now, null, outcome);
    }
}
