package dev.holdfast.examples.mcp.documents;

import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServerFeatures.SyncResourceSpecification;
import io.modelcontextprotocol.server.McpServerFeatures.SyncResourceTemplateSpecification;
import io.modelcontextprotocol.server.McpSyncServer;
import io.modelcontextprotocol.server.McpSyncServerExchange;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.ProgressNotification;
import io.modelcontextprotocol.spec.McpSchema.ReadResourceResult;
import io.modelcontextprotocol.spec.McpSchema.Resource;
import io.modelcontextprotocol.spec.McpSchema.ResourceTemplate;
import io.modelcontextprotocol.spec.McpSchema.TextResourceContents;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import io.modelcontextprotocol.spec.McpStreamableServerTransportProvider;
import java.util.List;

/**
 * The documents for clients of 2025-03-26 to 2025-11-25. That calls outlive cut connections is the transport's doing; nothing here knows of it.
 * Listed are the documents that were there at the start; any other can be read as well.
 */
final class LegacyDocuments {

    private final Library library;

    LegacyDocuments(Library library) {
        this.library = library;
    }

    McpSyncServer on(McpStreamableServerTransportProvider transport) {
        return McpServer.sync(transport)
                .immediateExecution(true) // handlers run on the thread of their call
                .serverInfo("holdfast-documents", "1.0.0")
                .toolCall(tool(Tools.LIST, Tools.LIST_SAYS, Tools.NO_ARGUMENTS), (exchange, request) -> list())
                .toolCall(
                        tool(Tools.SEARCH, Tools.SEARCH_SAYS, Tools.SEARCH_ARGUMENTS),
                        (exchange, request) -> search(request))
                .toolCall(tool(Tools.INDEX, Tools.INDEX_SAYS, Tools.NO_ARGUMENTS), this::index)
                .resources(library.folder().list().stream().map(this::resource).toList())
                .resourceTemplates(template())
                .build();
    }

    private static Tool tool(String name, String description, String schema) {
        return Tool.builder(name, McpJsonDefaults.getMapper(), schema)
                .description(description)
                .build();
    }

    private CallToolResult list() {
        return answer(Tools.list(library.folder()));
    }

    private CallToolResult search(CallToolRequest request) {
        return answer(library.search(String.valueOf(request.arguments().get("text"))));
    }

    private CallToolResult index(McpSyncServerExchange exchange, CallToolRequest request) {
        Object token = request.progressToken();
        try {
            return answer(library.index((done, of, name) -> {
                if (token != null) {
                    exchange.progressNotification(ProgressNotification.builder(token, done)
                            .total((double) of)
                            .message(name)
                            .build());
                }
            }));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return CallToolResult.builder()
                    .addTextContent("The call was cancelled.")
                    .isError(true)
                    .build();
        }
    }

    private static CallToolResult answer(String text) {
        return CallToolResult.builder().addTextContent(text).build();
    }

    private SyncResourceSpecification resource(Document document) {
        Resource resource = Resource.builder(document.uri(), document.name())
                .mimeType(document.type())
                .size(document.bytes())
                .build();
        return new SyncResourceSpecification(resource, (exchange, request) -> read(request.uri()));
    }

    private SyncResourceTemplateSpecification template() {
        ResourceTemplate template =
                ResourceTemplate.builder(Document.TEMPLATE, "document").build();
        return new SyncResourceTemplateSpecification(template, (exchange, request) -> read(request.uri()));
    }

    private ReadResourceResult read(String uri) {
        try {
            String text = library.folder().read(Document.nameIn(uri));
            return ReadResourceResult.builder(
                            List.of(TextResourceContents.builder(uri, text).build()))
                    .build();
        } catch (NoDocument e) {
            throw McpError.RESOURCE_NOT_FOUND.apply(uri);
        }
    }
}
