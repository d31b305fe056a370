package dev.holdfast.mcp.client;

import io.modelcontextprotocol.modern.client.McpClientException;

/** The task that a call had become was cancelled, by whomever. */
public final class TaskCancelledException extends McpClientException {

    private final String taskId;

    TaskCancelledException(String taskId) {
        super("The task " + taskId + " was cancelled");
        this.taskId = taskId;
    }

    public String taskId() {
        return taskId;
    }
}
