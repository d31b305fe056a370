package dev.holdfast.mcp;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** A request that is refused: an HTTP status, and a JSON-RPC error that says why. */
public final class McpProblem extends RuntimeException {

    public static final int PARSE_ERROR = -32700;
    public static final int INVALID_REQUEST = -32600;
    public static final int INTERNAL_ERROR = -32603;

    /** Of the range that JSON-RPC leaves to servers; what the SDKs send for a session that is not there. */
    public static final int NO_SESSION = -32001;

    private final int status;
    private final int code;
    private final @Nullable JsonNode id;
    private final @Nullable String allow;

    private McpProblem(int status, int code, String message, @Nullable JsonNode id, @Nullable String allow) {
        super(message);
        this.status = status;
        this.code = code;
        this.id = id;
        this.allow = allow;
    }

    public static McpProblem of(int status, int code, String message) {
        return new McpProblem(status, code, message, null, null);
    }

    /** The methods that are allowed instead, as a header lists them. */
    public static McpProblem methodNotAllowed(String allow) {
        return new McpProblem(405, INVALID_REQUEST, "Only %s is possible here.".formatted(allow), null, allow);
    }

    /** As an answer to a request with this id. */
    public McpProblem to(@Nullable JsonNode requestId) {
        return new McpProblem(status, code, getMessage(), requestId, allow);
    }

    @Override
    public String getMessage() {
        String message = super.getMessage();
        return message == null ? "" : message;
    }

    public int status() {
        return status;
    }

    public int code() {
        return code;
    }

    /** The id of the request that it answers, if that is known. */
    public @Nullable JsonNode id() {
        return id;
    }

    /** The value of the header {@code Allow}, for 405. */
    public @Nullable String allow() {
        return allow;
    }
}
