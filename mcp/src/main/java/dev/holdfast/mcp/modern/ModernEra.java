package dev.holdfast.mcp.modern;

import dev.holdfast.http.Answers;
import dev.holdfast.http.Deadlines;
import dev.holdfast.http.Exchange;
import dev.holdfast.http.Headers;
import dev.holdfast.mcp.McpCall;
import dev.holdfast.mcp.McpEra;
import dev.holdfast.mcp.McpPrincipal;
import dev.holdfast.mcp.McpProblem;
import dev.holdfast.mcp.PlainJson;
import dev.holdfast.store.Time;
import dev.holdfast.store.Timers;
import io.modelcontextprotocol.common.McpTransportContext;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.modern.JsonRpc.JSONRPCMessage;
import io.modelcontextprotocol.modern.JsonRpc.JSONRPCNotification;
import io.modelcontextprotocol.modern.JsonRpc.JSONRPCRequest;
import io.modelcontextprotocol.modern.server.McpHeaders;
import io.modelcontextprotocol.modern.server.McpRequestManager;
import io.modelcontextprotocol.modern.server.McpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The revision 2026-07-28 on Holdfast's HTTP: what a server of the SDK's package {@code modern} answers, as JSON or as server-sent events.
 *
 * <p>Requests are stateless. The header fields {@code Mcp-Method}, {@code Mcp-Name} and {@code MCP-Protocol-Version} must repeat what the body
 * says, else the answer is -32020 with status 400; for {@code tasks/*} the name is the task's id. A request whose connection is cut is
 * cancelled: the thread of its tool is interrupted, and a subscription is disposed. A stream that has nothing to say holds no thread, and is
 * kept alive by comments. What waits for a slow client is bounded: a tool that says more from its virtual thread waits for it; a client is cut that
 * only listens, or whose tool speaks from another thread, which must not wait.
 *
 * <p>Thread-safe. Close it with its server, which it closes.
 */
public final class ModernEra implements McpEra {

    /** Between two signs of life on a stream that has nothing to say. */
    public static final Duration DEFAULT_KEEP_ALIVE = Duration.ofSeconds(15);

    /** What waits for one client. A single larger message is sent as well. */
    public static final int DEFAULT_MAX_UNSENT_BYTES = 8 << 20;

    private final McpRequestManager requests;
    private final McpJsonMapper mapper;
    private final Function<McpCall, Map<String, Object>> context;
    private final Duration keepAlive;
    private final int maxUnsentBytes;
    private final Time time;
    private final Timers timers;
    private final Deadlines deadlines;
    private final Set<Answering> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closing;

    private ModernEra(Builder builder) {
        this.requests = builder.requests;
        this.mapper = builder.mapper != null ? builder.mapper : McpJsonDefaults.getMapper();
        this.context = builder.context;
        this.keepAlive = builder.keepAlive;
        this.maxUnsentBytes = builder.maxUnsentBytes;
        this.time = builder.time;
        this.timers = Timers.system();
        this.deadlines = new Deadlines(time, timers);
    }

    /** With every default. */
    public static ModernEra of(McpRequestManager requests) {
        return builder(requests).build();
    }

    /**
     * @param requests a server, usually
     */
    public static Builder builder(McpRequestManager requests) {
        return new Builder(requests);
    }

    /** Collects how it behaves. One thread at a time. */
    public static final class Builder {
        private final McpRequestManager requests;
        private @Nullable McpJsonMapper mapper;
        private Function<McpCall, Map<String, Object>> context = call -> Map.of();
        private Duration keepAlive = DEFAULT_KEEP_ALIVE;
        private int maxUnsentBytes = DEFAULT_MAX_UNSENT_BYTES;
        private final Time time = Time.system();

        private Builder(McpRequestManager requests) {
            this.requests = requests;
        }

        /** Writes and reads JSON; the SDK's default unless given. */
        public Builder jsonMapper(McpJsonMapper jsonMapper) {
            this.mapper = jsonMapper;
            return this;
        }

        /** What tools find in their transport context besides {@link McpPrincipal}. */
        public Builder context(Function<McpCall, Map<String, Object>> extractor) {
            this.context = extractor;
            return this;
        }

        /** Between two comments on a silent stream, and until a request that is not answered becomes a stream; more than zero. */
        public Builder keepAlive(Duration interval) {
            if (interval.isZero() || interval.isNegative()) {
                throw new IllegalArgumentException("A keep-alive interval is longer than zero; got " + interval);
            }
            this.keepAlive = interval;
            return this;
        }

        /** What may wait for one client, in bytes. */
        public Builder maxUnsentBytes(int bytes) {
            if (bytes < 1) {
                throw new IllegalArgumentException("At least one byte may wait for a client; got " + bytes);
            }
            this.maxUnsentBytes = bytes;
            return this;
        }

        public ModernEra build() {
            return new ModernEra(this);
        }
    }

    @Override
    public void post(McpCall call) throws IOException, InterruptedException {
        refuseIfClosing(null);
        JsonNode message = call.posted();
        if (!message.isObject()) {
            throw invalid("A request of this revision is one JSON-RPC message, not an array.");
        }
        if (!"2.0".equals(message.path("jsonrpc").asString(""))) {
            throw invalid("The member jsonrpc must be \"2.0\".");
        }
        if (!message.path("method").isString()) {
            throw invalid("The server accepts either requests or notifications, which name a method.");
        }
        if (message.has("id")) {
            request(call, message);
        } else {
            notification(call, message);
        }
    }

    private void notification(McpCall call, JsonNode message) {
        String method = message.path("method").stringValue();
        requests.handleNotification(contextOf(call), new JSONRPCNotification(method, params(message)))
                .block();
        Answers.empty(call.exchange(), 202, new Headers());
    }

    private void request(McpCall call, JsonNode message) throws IOException, InterruptedException {
        Object id = PlainJson.of(message.path("id"));
        if (!(id instanceof String || id instanceof Integer || id instanceof Long)) {
            throw invalid("A request's id is a string or an integer.");
        }
        JSONRPCRequest request = new JSONRPCRequest(message.path("method").stringValue(), id, params(message));
        Headers headers = call.exchange().head().headers();
        String fault = MirroredHeaders.fault(headers, request);
        if (fault != null) {
            throw McpProblem.of(400, MirroredHeaders.HEADER_MISMATCH, fault)
                    .because("header-mismatch")
                    .to(message.path("id"));
        }
        Exchange exchange = call.exchange();
        McpTransportContext sent =
                contextOf(call).putAll(Map.of(McpHeaders.TRANSPORT_CONTEXT_KEY, MirroredHeaders.decoded(headers)));
        Answering answering = new Answering(this, exchange, request, () -> requests.handleBlocking(sent, request));
        open.add(answering);
        if (closing) { // and close() may have missed it
            open.remove(answering);
            refuseIfClosing(message.path("id"));
        }
        exchange.goOnApart(answering);
    }

    private void refuseIfClosing(@Nullable JsonNode id) {
        if (closing) {
            throw McpProblem.of(503, McpProblem.INTERNAL_ERROR, "The server is being closed. Try again later.")
                    .because("closing")
                    .to(id);
        }
    }

    private static McpProblem invalid(String sentence) {
        return McpProblem.of(400, McpProblem.INVALID_REQUEST, sentence).because("invalid-request");
    }

    private static @Nullable Object params(JsonNode message) {
        return message.has("params") ? PlainJson.of(message.path("params")) : null;
    }

    private McpTransportContext contextOf(McpCall call) {
        Map<String, Object> entries = new HashMap<>(context.apply(call));
        entries.put(McpPrincipal.KEY, call.principal());
        return McpTransportContext.create(entries);
    }

    byte[] encode(JSONRPCMessage message) {
        try {
            return mapper.writeValueAsBytes(message);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    long now() {
        return time.monotonicNanos();
    }

    Duration keepAlive() {
        return keepAlive;
    }

    int maxUnsentBytes() {
        return maxUnsentBytes;
    }

    Deadlines deadlines() {
        return deadlines;
    }

    void done(Answering answering) {
        open.remove(answering);
    }

    /** Subscriptions end with their result, everything else is cut. */
    @Override
    public void close() {
        closing = true;
        if (requests instanceof McpServer server) {
            server.closeGracefully();
        }
        open.forEach(Answering::shut);
        timers.close();
    }
}
