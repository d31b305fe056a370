package dev.holdfast.mcp.streamable;

import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpStreamableServerTransport;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/**
 * The transport that the SDK is given: no connection, but a log. What is sent is done when it is durable, whoever reads it and whenever; so a
 * tool never notices that its client is away. Closing it closes nothing: the log ends with its last answer.
 *
 * <p>What the application does afterwards runs on a virtual thread of its own, never on the one that commits for everybody.
 */
final class LogTransport implements McpStreamableServerTransport {

    private final McpJsonMapper mapper;
    private final Function<McpSchema.JSONRPCMessage, CompletableFuture<Void>> log;

    LogTransport(McpJsonMapper mapper, Function<McpSchema.JSONRPCMessage, CompletableFuture<Void>> log) {
        this.mapper = mapper;
        this.log = log;
    }

    @Override
    public Mono<Void> sendMessage(McpSchema.JSONRPCMessage message) {
        return Mono.defer(() -> Mono.fromFuture(Services.goingOnApart(log.apply(message)), true));
    }

    /** The id that the SDK makes says nothing of the position; the log's own are sent instead. */
    @Override
    public Mono<Void> sendMessage(McpSchema.JSONRPCMessage message, String messageId) {
        return sendMessage(message);
    }

    @Override
    public <T> T unmarshalFrom(Object data, TypeRef<T> type) {
        return mapper.convertValue(data, type);
    }

    @Override
    public Mono<Void> closeGracefully() {
        return Mono.empty();
    }

    @Override
    public void close() {}
}
