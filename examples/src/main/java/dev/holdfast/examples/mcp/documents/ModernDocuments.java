package dev.holdfast.examples.mcp.documents;

import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.modern.McpSchema.CallToolOutcome;
import io.modelcontextprotocol.modern.McpSchema.CallToolRequest;
import io.modelcontextprotocol.modern.McpSchema.CallToolResult;
import io.modelcontextprotocol.modern.McpSchema.TextContent;
import io.modelcontextprotocol.modern.McpSchema.Tool;
import io.modelcontextprotocol.modern.server.McpRequestContext;
import io.modelcontextprotocol.modern.server.McpSyncNotifier;
import io.modelcontextprotocol.modern.server.McpSyncResponse;
import io.modelcontextprotocol.modern.server.feature.McpSyncTool;
import io.modelcontextprotocol.modern.server.feature.McpSyncToolRepository;
import io.modelcontextprotocol.modern.server.feature.ToolsPage;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The tools for clients of 2026-07-28. That the slow one can be a durable task is decided elsewhere; nothing here knows of it. Thread-safe. */
final class ModernDocuments implements McpSyncToolRepository {

    private final Library library;
    private final List<McpSyncTool> tools;

    ModernDocuments(Library library) {
        this.library = library;
        this.tools = List.of(
                McpSyncTool.of(
                        definition(Tools.LIST, Tools.LIST_SAYS, Tools.NO_ARGUMENTS),
                        result(request -> Tools.list(library.folder()))),
                McpSyncTool.of(
                        definition(Tools.SEARCH, Tools.SEARCH_SAYS, Tools.SEARCH_ARGUMENTS),
                        result(request -> library.search(
                                String.valueOf(request.arguments().get("text"))))),
                McpSyncTool.of(
                        definition(Tools.INDEX, Tools.INDEX_SAYS, Tools.NO_ARGUMENTS),
                        (context, request) -> McpSyncResponse.streaming(this::index)));
    }

    private static Tool definition(String name, String description, String schema) {
        return Tool.builder(name, McpJsonDefaults.getMapper(), schema)
                .description(description)
                .build();
    }

    private static McpSyncTool.Handler result(Function<CallToolRequest, String> text) {
        return (context, request) -> McpSyncResponse.result(answer(text.apply(request)));
    }

    private CallToolOutcome index(McpSyncNotifier notifier) {
        try {
            return answer(library.index((done, of, name) -> notifier.progress(done, (double) of, name)));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("The call was cancelled", e);
        }
    }

    private static CallToolOutcome answer(String text) {
        return CallToolResult.builder()
                .addContent(TextContent.builder(text).build())
                .build();
    }

    @Override
    public ToolsPage list(McpRequestContext context, @Nullable String cursor) {
        return ToolsPage.of(tools.stream().map(McpSyncTool::definition).toList());
    }

    @Override
    public @Nullable McpSyncTool find(McpRequestContext context, String name) {
        return tools.stream()
                .filter(tool -> tool.definition().name().equals(name))
                .findFirst()
                .orElse(null);
    }
}
