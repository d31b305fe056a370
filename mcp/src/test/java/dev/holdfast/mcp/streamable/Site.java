package dev.holdfast.mcp.streamable;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.http.HttpHandler;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.HttpListener;
import dev.holdfast.http.Trust;
import dev.holdfast.http.jetty.JettyServer;
import dev.holdfast.mcp.McpEndpoint;
import dev.holdfast.node.NodeSettings;
import dev.holdfast.store.Store;
import dev.holdfast.store.StoreSettings;
import dev.holdfast.store.sqlite.SqliteStore;
import dev.holdfast.testkit.MovedTime;
import dev.holdfast.testkit.SimCoordination;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServerFeatures;
import io.modelcontextprotocol.server.McpSyncServer;
import io.modelcontextprotocol.server.McpSyncServerExchange;
import io.modelcontextprotocol.spec.McpSchema;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A server over a store in a folder: what one process is. Closing it and opening another one on the same folder is a restart. */
final class Site implements AutoCloseable {

    private static final String PATH = "/mcp";

    /** Of the nodes of a cluster. */
    static final Duration LEASE = Duration.ofSeconds(2);

    private final Map<String, Script> scripts = new ConcurrentHashMap<>();
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicInteger sessions = new AtomicInteger();
    private final Holdfast holdfast;
    private final StreamableTransport transport;
    private final McpSyncServer server;
    private final McpEndpoint endpoint;
    private final HttpListener listener;

    /** How a site differs from the usual one. */
    static final class Plan {
        UnaryOperator<StreamableTransport.Builder> transport = builder -> builder;
        StreamableSettings settings = StreamableSettings.defaults();
        Trust trust = Trust.loopback(Holdfast.DEFAULT_TENANT);
        HttpListener.Factory factory = JettyServer::new;
        UnaryOperator<Store> store = store -> store;

        @Nullable
        SimCoordination cluster;

        String node = "";
        String path = PATH;

        Plan settings(UnaryOperator<StreamableSettings> change) {
            settings = change.apply(settings);
            return this;
        }

        /** Clocks that the test moves, for the store and the transport. */
        Plan time(MovedTime time) {
            return settings(given -> given.withTime(time, () -> time));
        }

        Plan trust(Trust whom) {
            trust = whom;
            return this;
        }

        /** A node of a cluster, in place of a store in a folder. */
        Plan node(SimCoordination database, String name) {
            cluster = database;
            node = name;
            return this;
        }

        Plan store(UnaryOperator<Store> change) {
            store = change;
            return this;
        }

        /** Another binding than Jetty's own, below a path. */
        Plan binding(HttpListener.Factory listener, String below) {
            factory = listener;
            path = below;
            return this;
        }

        Plan transport(UnaryOperator<StreamableTransport.Builder> change) {
            transport = change;
            return this;
        }
    }

    private final String path;

    Site(Path folder, Plan plan) throws IOException {
        path = plan.path;
        holdfast = open(folder, plan);
        transport = plan.transport
                .apply(StreamableTransport.builder(holdfast).settings(plan.settings))
                .build();
        server = McpServer.sync(new CountingProvider(transport, sessions))
                .serverInfo("test", "1")
                .capabilities(McpSchema.ServerCapabilities.builder()
                        .tools(true)
                        .resources(true, true)
                        .build())
                .tools(
                        tool("script", (exchange, request) -> {
                            calls.incrementAndGet();
                            return script(String.valueOf(request.arguments().get("name")))
                                    .run(exchange);
                        }),
                        tool(
                                "echo",
                                (exchange, request) ->
                                        text(String.valueOf(request.arguments().get("text")))),
                        tool("count", (exchange, request) -> {
                            int count = ((Number) request.arguments().getOrDefault("n", 0)).intValue();
                            String pad =
                                    "x".repeat(((Number) request.arguments().getOrDefault("pad", 0)).intValue());
                            for (int i = 0; i < count; i++) {
                                log(exchange, i + pad);
                            }
                            return text("counted " + count);
                        }))
                .immediateExecution(true)
                .build();
        endpoint = McpEndpoint.at(PATH).legacy(transport.era()).build();
        HttpHandler handler = endpoint.handler(plan.trust);
        listener = plan.factory.listen("127.0.0.1", 0, HttpLimits.defaults(), handler);
        listener.start();
    }

    private static Holdfast open(Path folder, Plan plan) {
        HoldfastSettings settings = HoldfastSettings.defaults().withTime(plan.settings.time(), plan.settings.timers());
        SimCoordination cluster = plan.cluster;
        if (cluster != null) {
            return Holdfast.join(
                    cluster, settings, NodeSettings.named(plan.node).withLease(LEASE));
        }
        return Holdfast.open(
                plan.store.apply(
                        SqliteStore.open(folder, StoreSettings.defaults().withTime(plan.settings.time()))),
                settings);
    }

    static Site open(Path folder) throws IOException {
        return new Site(folder, new Plan());
    }

    private static McpServerFeatures.SyncToolSpecification tool(
            String name,
            BiFunction<McpSyncServerExchange, McpSchema.CallToolRequest, McpSchema.CallToolResult> handler) {
        return McpServerFeatures.SyncToolSpecification.builder()
                .tool(McpSchema.Tool.builder(name, Map.of("type", "object")).build())
                .callHandler(handler)
                .build();
    }

    /** Sends a log message; logging is what every client of these revisions understands. */
    @SuppressWarnings("deprecation")
    static void log(McpSyncServerExchange exchange, String text) {
        exchange.loggingNotification(McpSchema.LoggingMessageNotification.builder(McpSchema.LoggingLevel.ERROR, text)
                .build());
    }

    static McpSchema.CallToolResult text(String text) {
        return McpSchema.CallToolResult.builder().addTextContent(text).build();
    }

    /** The call of the tool {@code script} with this name, which may be still to come. */
    Script script(String name) {
        return scripts.computeIfAbsent(name, any -> new Script());
    }

    /** How often the tool {@code script} was called in this process. */
    int calls() {
        return calls.get();
    }

    /** How many sessions the SDK has made in this process. */
    int sessions() {
        return sessions.get();
    }

    Holdfast holdfast() {
        return holdfast;
    }

    StreamableTransport transport() {
        return transport;
    }

    McpSyncServer server() {
        return server;
    }

    String url() {
        return "http://127.0.0.1:" + listener.port() + path;
    }

    int port() {
        return listener.port();
    }

    @Override
    public void close() {
        endpoint.close();
        listener.close();
        holdfast.close();
    }
}
