package dev.holdfast.examples.mcp.documents;

import dev.holdfast.Holdfast;
import dev.holdfast.examples.mcp.Arguments;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.Trust;
import dev.holdfast.http.jetty.JettyServer;
import dev.holdfast.mcp.McpEndpoint;
import dev.holdfast.mcp.modern.ModernEra;
import dev.holdfast.mcp.modern.RequestStates;
import dev.holdfast.mcp.streamable.StreamableTransport;
import dev.holdfast.mcp.tasks.AfterRestart;
import dev.holdfast.mcp.tasks.DurableTasks;
import dev.holdfast.mcp.tasks.TaskPolicy;
import io.modelcontextprotocol.modern.McpSchema.Implementation;
import io.modelcontextprotocol.modern.server.McpServer;
import io.modelcontextprotocol.modern.server.feature.ResourcesFeature;
import io.modelcontextprotocol.modern.server.feature.ToolsFeature;
import io.modelcontextprotocol.server.McpSyncServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;

/**
 * Everything put together: the documents, a server of the SDK for each era, and Holdfast below both. Without the lines that name Holdfast this is
 * an MCP server as any other.
 */
public final class DocumentServer implements AutoCloseable {

    private static final String LOOPBACK = "127.0.0.1";
    private static final String PATH = "/mcp";

    /** An index that takes longer becomes a task, for clients that know tasks. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final Holdfast holdfast;
    private final McpSyncServer legacy;
    private final DurableTasks tasks;
    private final McpEndpoint endpoint;
    private final JettyServer jetty;

    private DocumentServer(Library library, Holdfast holdfast, int port) {
        this.holdfast = holdfast;

        // Clients of 2025: calls are logs that connections read, and an index that was cut short by a restart is begun
        // anew.
        StreamableTransport transport = StreamableTransport.builder(holdfast)
                .rerun(request -> Tools.INDEX.equals(request.tool()))
                .build();
        this.legacy = new LegacyDocuments(library).on(transport);

        // Clients of 2026-07-28: the same tools, of which one can become a durable task.
        this.tasks = DurableTasks.builder(holdfast)
                .tool(Tools.INDEX, TaskPolicy.after(PATIENCE), AfterRestart.RERUN)
                .build();
        McpServer modern = McpServer.builder()
                .serverInfo(
                        Implementation.builder("holdfast-documents", "1.0.0").build())
                .feature(tasks.of(ToolsFeature.ofSync(new ModernDocuments(library))))
                .feature(ResourcesFeature.ofSync(new ModernResources(library.folder())))
                .subscriptions(tasks.changes())
                .requestStateCodec(RequestStates.of(holdfast))
                .build();

        this.endpoint = McpEndpoint.at(PATH)
                .legacy(transport.era())
                .modern(ModernEra.of(modern))
                .build();
        this.jetty = new JettyServer(
                LOOPBACK, port, HttpLimits.defaults(), endpoint.handler(Trust.loopback(Holdfast.DEFAULT_TENANT)));
    }

    /** Starts a server as the arguments say: a folder, and {@code --port}, {@code --data} and {@code --pace}. */
    public static DocumentServer start(String[] arguments) throws IOException {
        Arguments given = Arguments.parse(arguments, Set.of("--port", "--data", "--pace"), Set.of());
        if (given.rest().size() != 1) {
            throw new Arguments.Wrong("Name one folder of documents.");
        }
        Folder folder = new Folder(Path.of(given.rest().getFirst()));
        Library library = new Library(folder, Duration.ofMillis(given.number("--pace", 0)));
        Holdfast holdfast = Holdfast.open(Path.of(given.value("--data").orElse("mcp-documents-data")));
        DocumentServer server = new DocumentServer(library, holdfast, given.port());
        try {
            server.jetty.start();
        } catch (IOException e) {
            server.close();
            throw e;
        }
        return server;
    }

    /** The endpoint, once it was started. */
    public String url() {
        return "http://%s:%d%s".formatted(LOOPBACK, jetty.port(), PATH);
    }

    /** Stops what runs; the next start goes on with it. */
    @Override
    public void close() {
        try (holdfast;
                jetty;
                tasks) {
            endpoint.close();
            legacy.close();
        }
    }
}
