package dev.holdfast.bench.mcp;

import dev.holdfast.Holdfast;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.Trust;
import dev.holdfast.http.jetty.JettyServer;
import dev.holdfast.mcp.McpEndpoint;
import dev.holdfast.mcp.modern.ModernEra;
import dev.holdfast.mcp.streamable.StreamableTransport;
import java.io.IOException;
import java.nio.file.Path;

/** Both eras on Holdfast's transports, with their default settings and a store of its own: a process of this class path. */
public final class HoldfastMcpServer {

    /** The name under which {@code Main} reaches it; not for people. */
    public static final String COMMAND = "mcp-server";

    private HoldfastMcpServer() {}

    /** Serves until the process is killed. */
    public static void run(Path store) throws IOException, InterruptedException {
        Holdfast holdfast = Holdfast.open(store);
        StreamableTransport transport = StreamableTransport.builder(holdfast).build();
        Tools.serve(transport);
        McpEndpoint endpoint = McpEndpoint.at(Calls.PATH)
                .legacy(transport.era())
                .modern(ModernEra.of(Tools.modern()))
                .build();
        JettyServer server = new JettyServer(
                "127.0.0.1", 0, HttpLimits.defaults(), endpoint.handler(Trust.loopback(Holdfast.DEFAULT_TENANT)));
        server.start();
        System.out.println("MCP server listening on http://127.0.0.1:" + server.port());
        System.out.flush();
        Thread.currentThread().join();
    }
}
