package dev.holdfast.mcp.streamable;

import dev.holdfast.Holdfast;
import dev.holdfast.access.Authorizer;
import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.http.Deadlines;
import dev.holdfast.http.RequestHead;
import dev.holdfast.mcp.McpEra;
import dev.holdfast.mcp.events.EventLife;
import dev.holdfast.mcp.events.McpEventStore;
import dev.holdfast.store.PropertyRow;
import dev.holdfast.store.Timers;
import io.modelcontextprotocol.common.McpTransportContext;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.server.McpTransportContextExtractor;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpStreamableServerSession;
import io.modelcontextprotocol.spec.McpStreamableServerTransportProvider;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Streamable HTTP of the revisions 2025-03-26, 2025-06-18 and 2025-11-25 for the official SDK, where nothing is lost that was sent.
 *
 * <pre>{@code
 * StreamableTransport transport = StreamableTransport.builder(holdfast).build();
 * McpSyncServer server = McpServer.sync(transport).immediateExecution(true).tools(...).build();
 * McpEndpoint endpoint = McpEndpoint.at("/mcp").legacy(transport.era()).build();
 * }</pre>
 *
 * <p>What a tool sends goes into a durable log, and connections are readers of that log. So:
 * <ul>
 *   <li>A client that loses its connection comes back with its last event id and is given what follows it on that stream, each message once and
 *       in order, while the call still runs and for {@link StreamableSettings#answerLife} after it was last used. A completed write is not
 *       delivery: the answer stays until then, also if the client was away when the tool finished.
 *   <li>No message is on a connection before it is durable, and each is on exactly one stream.
 *   <li>That a client goes away stops nothing; {@code notifications/cancelled} does.
 *   <li>Sessions survive a restart: what the client said with {@code initialize}, its logging level and its resource subscriptions. They belong
 *       to the principal who began them; to all others they do not exist.
 *   <li>A call that ran when the server stopped ends in exactly one JSON-RPC error on its stream, or is run again where {@link Builder#rerun} says
 *       so. What a tool was asking the client at that moment is lost with the call.
 *   <li>In a cluster any node answers any request of a session, which needs no node of its own: the transport is built on each. A call runs on
 *       the node to which it was posted; if that node is lost, another one does what a restart would.
 *   <li>Every number is bounded: {@link StreamableLimits}, for each node.
 * </ul>
 *
 * <p>Each call has a virtual thread of its own, which a synchronous server uses with {@code immediateExecution(true)}; without, its handlers
 * share the SDK's few threads.
 *
 * <p>Thread-safe. Close the transport (closing the server does so) before its Holdfast.
 */
public final class StreamableTransport implements McpStreamableServerTransportProvider {

    private final Services services;
    private final Timers timers;
    private final StreamableEra era;
    private final Predicate<RerunRequest> rerun;
    private volatile @Nullable SessionTable sessions;

    private StreamableTransport(Builder builder) {
        this.rerun = builder.rerun;
        this.timers = builder.settings.timers().get();
        StreamableSettings settings = builder.settings;
        this.services = new Services(
                settings,
                builder.tenant,
                McpEventStore.of(
                        builder.holdfast, builder.tenant, EventLife.defaults().unusedFor(settings.answerLife())),
                new SessionStore(builder.holdfast.properties(new PropertyRow.Owner.Tenant(builder.tenant)), settings),
                builder.mapper == null ? SdkJson.mapper() : builder.mapper,
                builder.extractor,
                builder.authorizer,
                new Deadlines(settings.time(), timers),
                new OtherNodes(builder.holdfast.peers(), builder.tenant),
                new AtomicBoolean());
        this.era = new StreamableEra(services, this::end);
    }

    public static Builder builder(Holdfast holdfast) {
        return new Builder(holdfast);
    }

    /** Collects how a transport behaves. One thread at a time. */
    public static final class Builder {
        private final Holdfast holdfast;
        private String tenant = Holdfast.DEFAULT_TENANT;
        private StreamableSettings settings = StreamableSettings.defaults();
        private Authorizer authorizer = Authorizer.allowAll();
        private Predicate<RerunRequest> rerun = request -> false;
        private McpTransportContextExtractor<RequestHead> extractor = head -> McpTransportContext.EMPTY;
        private @Nullable McpJsonMapper mapper;

        private Builder(Holdfast holdfast) {
            this.holdfast = holdfast;
        }

        /** Whose sessions; principals of other tenants are refused. The default tenant unless named. */
        public Builder tenant(String name) {
            this.tenant = name;
            return this;
        }

        public Builder settings(StreamableSettings behaviour) {
            this.settings = behaviour;
            return this;
        }

        /** Is asked at each POST, GET and DELETE, about the stream {@code mcp/SESSION/STREAM} that it is about. */
        public Builder authorizer(Authorizer port) {
            this.authorizer = port;
            return this;
        }

        /**
         * Which requests are run again when the server is started after it stopped while they ran: those for which running twice does no harm.
         * What they had sent until then stays sent. None unless named.
         */
        public Builder rerun(Predicate<RerunRequest> harmless) {
            this.rerun = harmless;
            return this;
        }

        /** What handlers find in their transport context, beside the connection. A request that is run again has nothing of it. */
        public Builder contextExtractor(McpTransportContextExtractor<RequestHead> ofHead) {
            this.extractor = ofHead;
            return this;
        }

        /** How messages are written and read. The SDK's default unless named. */
        public Builder jsonMapper(McpJsonMapper json) {
            this.mapper = json;
            return this;
        }

        public StreamableTransport build() {
            return new StreamableTransport(this);
        }
    }

    /** The rules of these revisions, for an {@link dev.holdfast.mcp.McpEndpoint}. */
    public McpEra era() {
        return era;
    }

    @Override
    public List<String> protocolVersions() {
        return Revisions.ALL;
    }

    /** The SDK's server is there: from now on requests are answered, and what a stopped server has left is looked after. */
    @Override
    public void setSessionFactory(McpStreamableServerSession.Factory factory) {
        SessionTable table = new SessionTable(services, factory);
        Starting starting = new Starting(services, table);
        sessions = table;
        era.serve(table, starting);
        services.nodes().serve(services, table);
        new Recovering(services, new Recovery(services, table, starting, rerun)).start();
    }

    /** Tells all sessions, those that are not in memory as well; done when it is durable for each of them. */
    @Override
    public Mono<Void> notifyClients(String method, Object params) {
        return Mono.defer(() -> Mono.fromFuture(new Broadcast(services).send(method, params)));
    }

    /**
     * Tells one session on its standalone stream; done when it is durable. For a session that is not there it is the error {@code InvalidArgument}.
     *
     * @param sessionId as its client sees it, in the header Mcp-Session-Id; or as handlers see it, an id that the SDK makes and that means a
     *     session only while it is in memory: it is another one after a restart, and after the session had made room. Only the client's lasts
     */
    @Override
    public Mono<Void> notifyClient(String sessionId, String method, Object params) {
        return Mono.defer(() -> Mono.fromFuture(
                Services.askedApart(() -> tell(sessionId, new McpSchema.JSONRPCNotification(method, params))), true));
    }

    private CompletableFuture<Void> tell(String sessionId, McpSchema.JSONRPCNotification notification) {
        SessionTable table = sessions;
        String id = table == null ? sessionId : table.externalId(sessionId);
        if (services.sessions().find(id).isEmpty()) {
            throw new InvalidArgument(
                    "Unknown session: it was ended or expired, or this is the SDK's id of one that is not in memory any more. Use the client's id.");
        }
        return new Standalone(services, id).send(notification);
    }

    /** Cuts the connections and stops what runs; the next transport on the same store finds it as after a crash. */
    @Override
    public Mono<Void> closeGracefully() {
        return Mono.fromRunnable(this::end);
    }

    @Override
    public void close() {
        end();
    }

    private void end() {
        if (services.closed().compareAndSet(false, true)) {
            SessionTable table = sessions;
            if (table != null) {
                table.close();
            }
            services.nodes().close();
            services.events().close();
            timers.close();
        }
    }
}
