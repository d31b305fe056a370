package dev.holdfast.mcp.client;

import io.modelcontextprotocol.modern.JsonRpc.JSONRPCRequest;
import io.modelcontextprotocol.modern.McpSchema.ClientCapabilities;
import io.modelcontextprotocol.modern.client.transport.McpTransportRequest;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Requests that declare the extension, and those about a task. */
final class Requests {

    static final String EXTENSION = "io.modelcontextprotocol/tasks";

    private static final String CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

    /** Ids are strings, where the client's own are numbers. */
    private static final AtomicLong NEXT_ID = new AtomicLong();

    private Requests() {}

    /** The same request from a client that declares the extension. */
    static McpTransportRequest declared(McpTransportRequest request) {
        JSONRPCRequest message = request.message();
        Map<String, @Nullable Object> params = params(message);
        params.put("_meta", declaredMeta(params));
        return McpTransportRequest.builder(
                        new JSONRPCRequest(message.method(), message.id(), params), request.protocolVersion())
                .name(request.name())
                .paramHeaders(request.paramHeaders())
                .roundTimeout(request.roundTimeout())
                .build();
    }

    /**
     * A request about a task.
     *
     * @param call the call that became the task
     */
    static McpTransportRequest about(
            McpTransportRequest call, String method, String taskId, Map<String, ? extends @Nullable Object> more) {
        Map<String, @Nullable Object> meta = declaredMeta(params(call.message()));
        meta.remove("progressToken");
        Map<String, @Nullable Object> params = new LinkedHashMap<>(more);
        params.put("taskId", taskId);
        params.put("_meta", meta);
        String id = "holdfast-task-" + NEXT_ID.incrementAndGet();
        return McpTransportRequest.builder(new JSONRPCRequest(method, id, params), call.protocolVersion())
                .name(taskId)
                .roundTimeout(call.roundTimeout())
                .build();
    }

    static Map<String, @Nullable Object> params(JSONRPCRequest message) {
        return copy(message.params());
    }

    private static Map<String, @Nullable Object> copy(@Nullable Object map) {
        Map<String, @Nullable Object> copy = new LinkedHashMap<>();
        if (map instanceof Map<?, ?> given) {
            given.forEach((key, value) -> copy.put(String.valueOf(key), value));
        }
        return copy;
    }

    private static Map<String, @Nullable Object> declaredMeta(Map<String, @Nullable Object> params) {
        Map<String, @Nullable Object> meta = copy(params.get("_meta"));
        meta.put(CAPABILITIES, declared(meta.get(CAPABILITIES)));
        return meta;
    }

    @SuppressWarnings("deprecation") // what a client declares of the deprecated is handed on
    private static Object declared(@Nullable Object capabilities) {
        if (capabilities instanceof ClientCapabilities given) {
            Map<String, Map<String, Object>> extensions = new LinkedHashMap<>();
            if (given.extensions() != null) {
                extensions.putAll(given.extensions());
            }
            extensions.putIfAbsent(EXTENSION, Map.of());
            return new ClientCapabilities(
                    given.experimental(), given.roots(), given.sampling(), given.elicitation(), extensions);
        }
        Map<String, @Nullable Object> map = copy(capabilities);
        Map<String, @Nullable Object> extensions = copy(map.get("extensions"));
        extensions.putIfAbsent(EXTENSION, Map.of());
        map.put("extensions", extensions);
        return map;
    }
}
