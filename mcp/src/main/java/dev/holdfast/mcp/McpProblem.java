package dev.holdfast.mcp;

import dev.holdfast.http.Json;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A request that is refused: an HTTP status, and a JSON-RPC error that says why. */
public final class McpProblem extends RuntimeException {

    public static final int PARSE_ERROR = -32700;
    public static final int INVALID_REQUEST = -32600;
    public static final int INTERNAL_ERROR = -32603;

    /** Of the range that JSON-RPC leaves to servers; what the SDKs send for a session that is not there. */
    public static final int NO_SESSION = -32001;

    private final int status;
    private final int code;
    private final String sentence;
    private final @Nullable String reason;
    private final transient @Nullable JsonNode id;
    private final @Nullable String allow;
    private final int retryAfterSeconds;

    private McpProblem(
            int status,
            int code,
            String sentence,
            @Nullable String reason,
            @Nullable JsonNode id,
            @Nullable String allow,
            int retryAfterSeconds) {
        super(sentence);
        this.status = status;
        this.code = code;
        this.sentence = sentence;
        this.reason = reason;
        this.id = id;
        this.allow = allow;
        this.retryAfterSeconds = retryAfterSeconds;
    }

    /**
     * @param sentence what was wrong and what to do
     */
    public static McpProblem of(int status, int code, String sentence) {
        return new McpProblem(status, code, sentence, null, null, null, 0);
    }

    /** The methods that are allowed instead, as a header lists them. */
    public static McpProblem methodNotAllowed(String allow) {
        return new McpProblem(
                405,
                INVALID_REQUEST,
                "Only %s is possible here.".formatted(allow),
                "method-not-allowed",
                null,
                allow,
                0);
    }

    /** With a short name that programs compare, as {@code data.reason} of the error. */
    public McpProblem because(String name) {
        return new McpProblem(status, code, sentence, name, id, allow, retryAfterSeconds);
    }

    /** As an answer to the request with this id. */
    public McpProblem to(@Nullable JsonNode requestId) {
        return new McpProblem(status, code, sentence, reason, requestId, allow, retryAfterSeconds);
    }

    /** Asks the client to come back after a while. */
    public McpProblem retryAfter(int seconds) {
        return new McpProblem(status, code, sentence, reason, id, allow, seconds);
    }

    public int status() {
        return status;
    }

    /** JSON-RPC's code. */
    public int code() {
        return code;
    }

    /** The value of the header {@code Allow}, for 405. */
    @Nullable
    String allow() {
        return allow;
    }

    /** The value of the header {@code Retry-After}, or 0. */
    int retryAfterSeconds() {
        return retryAfterSeconds;
    }

    /** The answer's body. */
    public ObjectNode body() {
        ObjectNode body = Json.MAPPER.createObjectNode();
        body.put("jsonrpc", "2.0");
        body.set("id", id == null ? Json.MAPPER.nullNode() : id);
        ObjectNode error = body.putObject("error");
        error.put("code", code);
        error.put("message", sentence);
        if (reason != null) {
            error.putObject("data").put("reason", reason);
        }
        return body;
    }
}
