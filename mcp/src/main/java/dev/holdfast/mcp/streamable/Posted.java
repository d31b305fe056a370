package dev.holdfast.mcp.streamable;

import dev.holdfast.http.Json;
import dev.holdfast.mcp.McpProblem;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.spec.McpSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * What one POST brought, sorted.
 *
 * @param requests in order; their ids differ
 * @param notifications in order
 * @param responses to requests of the server
 */
record Posted(
        List<McpSchema.JSONRPCRequest> requests,
        List<McpSchema.JSONRPCNotification> notifications,
        List<McpSchema.JSONRPCResponse> responses) {

    private static final String INITIALIZE = "initialize";
    private static final String CANCELLED = "notifications/cancelled";

    /** The notifications that end a request. */
    List<McpSchema.JSONRPCNotification> cancellations() {
        return notifications.stream().filter(Posted::isCancellation).toList();
    }

    /** The notifications that the SDK handles, each of which takes room meanwhile. */
    List<McpSchema.JSONRPCNotification> toHandle() {
        return notifications.stream().filter(one -> !isCancellation(one)).toList();
    }

    private static boolean isCancellation(McpSchema.JSONRPCNotification notification) {
        return notification.method().equals(CANCELLED);
    }

    /** Whether it is the first request of a session. */
    static boolean isInitialize(JsonNode message) {
        return message.isObject() && message.path("method").asString("").equals(INITIALIZE) && message.has("id");
    }

    /**
     * @throws McpProblem 400 if something of it is no JSON-RPC message
     */
    static Posted of(JsonNode message, McpJsonMapper mapper) {
        Posted posted = new Posted(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        Set<Object> ids = new HashSet<>();
        if (message.isArray()) {
            message.forEach(one -> posted.add(one, ids, mapper));
        } else {
            posted.add(message, ids, mapper);
        }
        return posted;
    }

    private void add(JsonNode message, Set<Object> ids, McpJsonMapper mapper) {
        check(message);
        if (message.hasNonNull("params") && !message.path("params").isObject()) {
            throw invalid("The params of a message are an object.", idOf(message));
        }
        switch (sdk(message, mapper)) {
            case McpSchema.JSONRPCRequest request -> {
                if (request.method().equals(INITIALIZE)) {
                    throw invalid("The request initialize comes alone.", idOf(message));
                }
                if (!ids.add(Ids.key(request.id()))) {
                    throw invalid("Two requests of one batch have the same id.", idOf(message));
                }
                requests.add(request);
            }
            case McpSchema.JSONRPCNotification notification -> notifications.add(notification);
            case McpSchema.JSONRPCResponse response -> responses.add(response);
            default -> throw invalid("This is no JSON-RPC message.", null);
        }
    }

    /**
     * @throws McpProblem 400 if it is no JSON-RPC message
     */
    static void check(JsonNode message) {
        JsonNode id = message.path("id");
        boolean named = message.path("method").isString();
        boolean answers = message.has("result") != message.has("error");
        boolean identified = id.isString() || (id.isIntegralNumber() && id.canConvertToLong());
        boolean fine = message.isObject()
                && message.path("jsonrpc").asString("").equals("2.0")
                && (named ? !message.has("id") || identified : !message.has("method") && answers && identified);
        if (!fine) {
            throw invalid(
                    "This is no JSON-RPC 2.0 message: a request has a method and an id (text or a whole number), a notification a method, a response an id and a result or an error.",
                    identified ? id : null);
        }
    }

    private static McpSchema.JSONRPCMessage sdk(JsonNode message, McpJsonMapper mapper) {
        try {
            return McpSchema.deserializeJsonRpcMessage(mapper, Json.MAPPER.writeValueAsString(message));
        } catch (IOException | RuntimeException e) {
            throw invalid("This JSON-RPC message is not understood: " + e.getMessage(), idOf(message));
        }
    }

    private static @Nullable JsonNode idOf(JsonNode message) {
        return message.get("id");
    }

    private static McpProblem invalid(String sentence, @Nullable JsonNode id) {
        return McpProblem.of(400, McpProblem.INVALID_REQUEST, sentence)
                .because("invalid-message")
                .to(id);
    }
}
