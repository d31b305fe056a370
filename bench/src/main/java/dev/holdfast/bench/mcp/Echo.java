package dev.holdfast.bench.mcp;

import io.modelcontextprotocol.modern.McpSchema;
import io.modelcontextprotocol.modern.server.McpRequestContext;
import io.modelcontextprotocol.modern.server.McpSyncResponse;
import io.modelcontextprotocol.modern.server.feature.McpSyncTool;
import io.modelcontextprotocol.modern.server.feature.McpSyncToolRepository;
import io.modelcontextprotocol.modern.server.feature.ToolsPage;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@link Tools#ECHO} for 2026-07-28. */
final class Echo implements McpSyncToolRepository {

    private final McpSyncTool tool = McpSyncTool.of(
            McpSchema.Tool.builder(Tools.ECHO, Map.of("type", "object")).build(),
            (context, request) -> McpSyncResponse.result(McpSchema.CallToolResult.builder()
                    .addContent(McpSchema.TextContent.builder(Tools.TEXT).build())
                    .build()));

    @Override
    public ToolsPage list(McpRequestContext context, @Nullable String cursor) {
        return ToolsPage.of(List.of(tool.definition()));
    }

    @Override
    public @Nullable McpSyncTool find(McpRequestContext context, String name) {
        return name.equals(Tools.ECHO) ? tool : null;
    }
}
