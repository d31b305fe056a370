package dev.holdfast.models;

import dev.langchain4j.mcp.client.McpClient;
import dev.langchain4j.service.tool.ToolExecutionResult;
import java.util.List;

/**
 * The tools of an MCP server, over LangChain4j's client. Needs the library {@code dev.langchain4j:langchain4j-mcp}, which this one does not bring along.
 */
public final class McpTools {

    private McpTools() {}

    /**
     * The tools that the server has now, each to be run there. The client stays the caller's: it must live as long as the tools are used, and its own
     * timeout should not be shorter than theirs.
     *
     * <p>An MCP server is not told the {@link ToolCall#idempotencyKey}; a tool is only {@link Tool#repeatable} if its calls may be repeated without one.
     */
    public static List<Tool> of(McpClient client) {
        return client.listTools().stream()
                .map(specification -> Tool.of(specification, call -> run(client, call)))
                .toList();
    }

    private static ToolOutput run(McpClient client, ToolCall call) {
        ToolExecutionResult result = client.executeTool(call.request());
        String text = result.resultText() == null ? "" : result.resultText();
        return result.isError() ? ToolOutput.failure(text) : ToolOutput.text(text);
    }
}
