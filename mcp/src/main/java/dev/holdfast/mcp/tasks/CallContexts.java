package dev.holdfast.mcp.tasks;

import dev.holdfast.mcp.McpPrincipal;
import io.modelcontextprotocol.common.McpTransportContext;
import io.modelcontextprotocol.modern.JsonRpc.JSONRPCRequest;
import io.modelcontextprotocol.modern.McpSchema;
import io.modelcontextprotocol.modern.server.McpAsyncResponse;
import io.modelcontextprotocol.modern.server.McpFeature;
import io.modelcontextprotocol.modern.server.McpHeaders;
import io.modelcontextprotocol.modern.server.McpRequestContext;
import io.modelcontextprotocol.modern.server.McpServer;
import io.modelcontextprotocol.modern.server.RequestStateCodec;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Contexts of calls that no client makes at the moment: an answered question, a call that is run again. Only a server of the SDK makes them, so here
 * is one that does nothing else. Tools find in it what the call said, and who made it; what else a transport had left in its context is gone.
 *
 * <p>Thread-safe.
 */
final class CallContexts {

    private static final String META_VERSION = "io.modelcontextprotocol/protocolVersion";

    /** By revision; only revisions that a server once accepted come here. */
    private final Map<String, McpServer> makers = new ConcurrentHashMap<>();

    McpRequestContext of(TaskSpec spec, Map<String, @Nullable Object> params) {
        String version = params.get("_meta") instanceof Map<?, ?> meta ? String.valueOf(meta.get(META_VERSION)) : "";
        AtomicReference<@Nullable McpRequestContext> made = new AtomicReference<>();
        McpTransportContext transport = McpTransportContext.create(Map.of(
                McpPrincipal.KEY,
                spec.owner(),
                McpHeaders.TRANSPORT_CONTEXT_KEY,
                McpHeaders.NOT_MIRRORED,
                Maker.KEY,
                made));
        var unused = makers.computeIfAbsent(version, CallContexts::maker)
                .handleBlocking(transport, new JSONRPCRequest(TaskWire.CALL, spec.requestId(), params))
                .block();
        McpRequestContext ctx = made.get();
        if (ctx == null) {
            throw new IllegalStateException("The SDK made no context for the call of a task");
        }
        return ctx;
    }

    private static McpServer maker(String version) {
        return McpServer.builder()
                .serverInfo(McpSchema.Implementation.builder("holdfast", "1").build())
                .supportedVersions(List.of(version))
                .feature(new Maker())
                .requestStateCodec(new AsItIs()) // the state was opened when it came in, or never left
                .build();
    }

    private static final class AsItIs implements RequestStateCodec {
        @Override
        public String seal(McpRequestContext ctx, String state) {
            return state;
        }

        @Override
        public String open(McpRequestContext ctx, String sealed) {
            return sealed;
        }
    }

    /** Leaves the context where its maker finds it. */
    private static final class Maker implements McpFeature {
        private static final String KEY = CallContexts.class.getName();

        @Override
        public Set<String> methods() {
            return Set.of(TaskWire.CALL);
        }

        @Override
        @SuppressWarnings("unchecked")
        public Mono<McpAsyncResponse<McpSchema.Result>> handle(McpRequestContext ctx, Object params) {
            if (ctx.transportContext().get(KEY) instanceof AtomicReference<?> made) {
                ((AtomicReference<McpRequestContext>) made).set(ctx);
            }
            return Mono.just(McpAsyncResponse.result(Fields.acknowledged()));
        }
    }
}
