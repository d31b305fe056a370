package dev.holdfast.mcp.modern;

import dev.holdfast.http.Headers;
import io.modelcontextprotocol.modern.JsonRpc.JSONRPCRequest;
import io.modelcontextprotocol.modern.McpHttp;
import io.modelcontextprotocol.modern.server.McpHeaders;
import io.modelcontextprotocol.modern.server.transport.McpHeaderDecoder;
import io.modelcontextprotocol.server.transport.HeaderAccessor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The header fields that repeat what the body says, for those who route requests without reading them: SEP-2243, and SEP-2663 for tasks. */
final class MirroredHeaders {

    /** JSON-RPC's code for a header field that is missing or says something else than the body. */
    static final int HEADER_MISMATCH = -32020;

    private static final String META_VERSION = "io.modelcontextprotocol/protocolVersion";

    /** The parameter that {@code Mcp-Name} repeats, by method. */
    private static final Map<String, String> NAMED_BY = Map.of(
            "tools/call", "name",
            "prompts/get", "name",
            "resources/read", "uri",
            "tasks/get", "taskId",
            "tasks/update", "taskId",
            "tasks/cancel", "taskId",
            "tasks/stream", "taskId");

    private MirroredHeaders() {}

    /** What is wrong with a request's header fields, or null. */
    static @Nullable String fault(Headers headers, JSONRPCRequest request) {
        String version = version(request.params());
        if (request.method().equals("initialize") && version == null) {
            return null; // a handshake of the revisions before, which is answered by what is supported
        }
        String fault = differs(headers, McpHttp.Headers.MCP_METHOD, request.method());
        if (fault == null && version != null) {
            fault = differs(headers, McpHttp.Headers.MCP_PROTOCOL_VERSION, version);
        }
        String name = name(request);
        return fault == null && name != null ? nameDiffers(headers, name) : fault;
    }

    /** As features see them, decoded. */
    static McpHeaders decoded(Headers headers) {
        return McpHeaderDecoder.headers(new HeaderAccessor() {
            @Override
            public List<String> getHeader(String name) {
                return headers.all(name);
            }

            @Override
            public List<String> getHeaderNames() {
                List<String> names = new ArrayList<>();
                headers.forEach((name, value) -> {
                    if (names.stream().noneMatch(name::equalsIgnoreCase)) {
                        names.add(name);
                    }
                });
                return names;
            }
        });
    }

    private static @Nullable String version(@Nullable Object params) {
        return params instanceof Map<?, ?> map
                        && map.get("_meta") instanceof Map<?, ?> meta
                        && meta.get(META_VERSION) instanceof String version
                        && !version.isBlank()
                ? version
                : null;
    }

    private static @Nullable String name(JSONRPCRequest request) {
        String parameter = NAMED_BY.get(request.method());
        return parameter != null
                        && request.params() instanceof Map<?, ?> params
                        && params.get(parameter) instanceof String name
                ? name
                : null;
    }

    private static @Nullable String differs(Headers headers, String field, String expected) {
        List<String> values = headers.all(field);
        if (values.size() != 1) {
            return number(field, values.size());
        }
        return values.getFirst().strip().equals(expected)
                ? null
                : "The header %s says something else than the body: it must be \"%s\".".formatted(field, expected);
    }

    private static @Nullable String nameDiffers(Headers headers, String expected) {
        String field = McpHttp.Headers.MCP_NAME;
        List<String> values = headers.all(field);
        if (values.size() != 1) {
            return number(field, values.size());
        }
        String value = McpHeaderDecoder.decodeValue(values.getFirst().strip());
        if (value == null) {
            return "The header %s is not encoded properly: visible ASCII, or base64 as =?base64?...?=."
                    .formatted(field);
        }
        return value.equals(expected)
                ? null
                : "The header %s names something else than the body does.".formatted(field);
    }

    private static String number(String field, int values) {
        return values == 0
                ? "The header %s is missing.".formatted(field)
                : "The header %s is there %d times; send it once.".formatted(field, values);
    }
}
