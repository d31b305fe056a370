package dev.holdfast.examples.mcp.documents;

import io.modelcontextprotocol.modern.McpSchema.ReadResourceResult;
import io.modelcontextprotocol.modern.McpSchema.Resource;
import io.modelcontextprotocol.modern.McpSchema.ResourceTemplate;
import io.modelcontextprotocol.modern.McpSchema.TextResourceContents;
import io.modelcontextprotocol.modern.server.McpRequestContext;
import io.modelcontextprotocol.modern.server.McpSyncResponse;
import io.modelcontextprotocol.modern.server.feature.McpSyncResource;
import io.modelcontextprotocol.modern.server.feature.McpSyncResourceRepository;
import io.modelcontextprotocol.modern.server.feature.ResourceTemplatesPage;
import io.modelcontextprotocol.modern.server.feature.ResourcesPage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The documents as resources for clients of 2026-07-28: those that are there when they are asked for. Thread-safe. */
final class ModernResources implements McpSyncResourceRepository {

    private final Folder folder;

    ModernResources(Folder folder) {
        this.folder = folder;
    }

    @Override
    public ResourcesPage list(McpRequestContext context, @Nullable String cursor) {
        return ResourcesPage.of(folder.list().stream()
                .map(document -> Resource.builder(document.uri(), document.name())
                        .mimeType(document.type())
                        .size(document.bytes())
                        .build())
                .toList());
    }

    @Override
    public ResourceTemplatesPage listTemplates(McpRequestContext context, @Nullable String cursor) {
        return ResourceTemplatesPage.of(
                List.of(ResourceTemplate.builder(Document.TEMPLATE, "document").build()));
    }

    @Override
    public @Nullable McpSyncResource find(McpRequestContext context, String uri) {
        try {
            String text = folder.read(Document.nameIn(uri));
            return McpSyncResource.of((asked, request) -> McpSyncResponse.result(ReadResourceResult.builder(
                            List.of(TextResourceContents.builder(uri, text).build()))
                    .build()));
        } catch (NoDocument e) {
            return null;
        }
    }
}
