package dev.holdfast.mcp.streamable;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.access.Authorizer;
import dev.holdfast.cluster.Peers;
import dev.holdfast.http.Deadlines;
import dev.holdfast.mcp.FaultyStore;
import dev.holdfast.mcp.events.EventLife;
import dev.holdfast.mcp.events.EventLog;
import dev.holdfast.mcp.events.EventReader;
import dev.holdfast.mcp.events.McpEventStore;
import dev.holdfast.store.StoreSettings;
import dev.holdfast.store.sqlite.SqliteStore;
import io.modelcontextprotocol.common.McpTransportContext;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServerFeatures;
import io.modelcontextprotocol.server.McpSyncServer;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpStreamableServerSession;
import io.modelcontextprotocol.spec.McpStreamableServerTransportProvider;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import tools.jackson.databind.JsonNode;

/** The parts of a transport over a store in a folder, without a listener: for moments between two steps that no request can be sure to meet. */
final class Parts implements AutoCloseable {

    final Services services;
    final SessionTable table;
    final Starting starting;

    private final AtomicInteger calls = new AtomicInteger();
    private final Holdfast holdfast;
    private final McpSyncServer server;

    final FaultyStore store;

    Parts(Path folder, StreamableSettings settings) {
        store = new FaultyStore(
                SqliteStore.open(folder, StoreSettings.defaults().withTime(settings.time())));
        holdfast = Holdfast.open(store, HoldfastSettings.defaults().withTime(settings.time(), settings.timers()));
        services = new Services(
                settings,
                Holdfast.DEFAULT_TENANT,
                McpEventStore.of(holdfast),
                new SessionStore(holdfast.properties(), settings),
                SdkJson.mapper(),
                head -> McpTransportContext.EMPTY,
                Authorizer.allowAll(),
                new Deadlines(settings.time(), settings.timers().get()),
                new OtherNodes(Peers.none(), Holdfast.DEFAULT_TENANT),
                new AtomicBoolean());
        FactoryHolder holder = new FactoryHolder();
        server = McpServer.sync(holder)
                .serverInfo("test", "1")
                .capabilities(McpSchema.ServerCapabilities.builder()
                        .tools(true)
                        .resources(true, true)
                        .build())
                .tools(McpServerFeatures.SyncToolSpecification.builder()
                        .tool(McpSchema.Tool.builder("tool", Map.of("type", "object"))
                                .build())
                        .callHandler((exchange, request) -> {
                            calls.incrementAndGet();
                            return Site.text("done");
                        })
                        .build())
                .immediateExecution(true)
                .build();
        McpStreamableServerSession.Factory factory = holder.factory;
        if (factory == null) {
            throw new IllegalStateException("The server has no factory");
        }
        table = new SessionTable(services, factory);
        starting = new Starting(services, table);
    }

    private static final class FactoryHolder implements McpStreamableServerTransportProvider {
        private McpStreamableServerSession.@Nullable Factory factory;

        @Override
        public void setSessionFactory(McpStreamableServerSession.Factory made) {
            factory = made;
        }

        @Override
        public Mono<Void> notifyClients(String method, Object params) {
            return Mono.empty();
        }

        @Override
        public Mono<Void> notifyClient(String sessionId, String method, Object params) {
            return Mono.empty();
        }

        @Override
        public Mono<Void> closeGracefully() {
            return Mono.empty();
        }
    }

    /** How often the tool was called. */
    int calls() {
        return calls.get();
    }

    /** A new session that is stored, and entered. */
    LiveSession session(String id) {
        store(id, List.of());
        return table.enter(id, null);
    }

    void store(String id, List<String> subscriptions) {
        store(
                id,
                "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"x\",\"version\":\"1\"}}",
                subscriptions);
    }

    void store(String id, String initialize, List<String> subscriptions) {
        long unused = services.sessions()
                .create(id, new SessionRecord("somebody", Client.NEWEST, Client.json(initialize), null, subscriptions));
    }

    /** A stream with a stored call of the tool, which was not begun. */
    EventLog stored(LiveSession session, String stream) {
        return stored(session.id(), stream);
    }

    EventLog stored(String session, String stream) {
        return services.events()
                .begin(
                        session,
                        stream,
                        Client.callJson(1, "tool", "{}").getBytes(StandardCharsets.UTF_8),
                        EventLife.defaults());
    }

    RunningCall running(LiveSession session, EventLog log) {
        return starting.running(session, log, Set.of(1L), 1);
    }

    static List<McpSchema.JSONRPCRequest> request() {
        return List.of(new McpSchema.JSONRPCRequest("tools/call", 1L, Map.of("name", "tool", "arguments", Map.of())));
    }

    /** What a stream that has ended carries. */
    List<JsonNode> messages(String session, String stream) {
        try (EventReader reader = services.events().tail(session, stream)) {
            return reader.read(1 << 20).events().stream()
                    .map(event -> Client.json(event.text()))
                    .toList();
        }
    }

    boolean ended(String session, String stream) {
        try (EventReader reader = services.events().tail(session, stream)) {
            return reader.read(1 << 20).ended();
        }
    }

    @Override
    public void close() {
        services.closed().set(true);
        table.close();
        server.close();
        services.events().close();
        holdfast.close();
    }
}
