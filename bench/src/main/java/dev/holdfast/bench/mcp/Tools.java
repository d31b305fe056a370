package dev.holdfast.bench.mcp;

import io.modelcontextprotocol.modern.server.feature.ToolsFeature;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServerFeatures.SyncToolSpecification;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpStreamableServerTransportProvider;
import java.util.List;
import java.util.Map;

/** The tools of both servers, written against the SDK alone, and the servers' logic around them. */
final class Tools {

    /** Answers at once, with {@value #TEXT_CHARS} characters. */
    static final String ECHO = "echo";

    /** Reports {@value #REPORTS} steps before it answers. */
    static final String STEPS = "steps";

    static final int REPORTS = 10;

    private static final int TEXT_CHARS = 100;
    static final String TEXT = "x".repeat(TEXT_CHARS);
    private static final Map<String, Object> NO_ARGUMENTS = Map.of("type", "object");
    private static final String NAME = "bench";
    private static final String VERSION = "1";

    private Tools() {}

    /** The server of the revisions with sessions. Handlers run on the thread that the transport calls them on, as both are made for. */
    static void serve(McpStreamableServerTransportProvider transport) {
        var unused = McpServer.sync(transport)
                .serverInfo(NAME, VERSION)
                .immediateExecution(true)
                .capabilities(
                        McpSchema.ServerCapabilities.builder().tools(false).build())
                .tools(List.of(echo(), steps()))
                .build();
    }

    private static SyncToolSpecification echo() {
        return SyncToolSpecification.builder()
                .tool(McpSchema.Tool.builder(ECHO, NO_ARGUMENTS).build())
                .callHandler((exchange, request) -> answer())
                .build();
    }

    private static SyncToolSpecification steps() {
        return SyncToolSpecification.builder()
                .tool(McpSchema.Tool.builder(STEPS, NO_ARGUMENTS).build())
                .callHandler((exchange, request) -> {
                    for (int i = 1; i <= REPORTS; i++) {
                        exchange.progressNotification(
                                McpSchema.ProgressNotification.builder(request.progressToken(), (double) i)
                                        .build());
                    }
                    return answer();
                })
                .build();
    }

    private static McpSchema.CallToolResult answer() {
        return McpSchema.CallToolResult.builder().addTextContent(TEXT).build();
    }

    /** The server of 2026-07-28. */
    static io.modelcontextprotocol.modern.server.McpServer modern() {
        return io.modelcontextprotocol.modern.server.McpServer.builder()
                .serverInfo(io.modelcontextprotocol.modern.McpSchema.Implementation.builder(NAME, VERSION)
                        .build())
                .feature(ToolsFeature.ofSync(new Echo()))
                .build();
    }
}
