package dev.holdfast.mcp;

import dev.holdfast.access.Principal;
import io.modelcontextprotocol.common.McpTransportContext;
import java.util.Optional;

/** Who made a request: what Holdfast's transports leave in the SDK's transport context, where tools and features find it. */
public final class McpPrincipal {

    /** The entry's name; its value is a {@link Principal}. */
    public static final String KEY = "dev.holdfast.mcp.principal";

    private McpPrincipal() {}

    /** Who made the request, or empty if another transport received it. */
    public static Optional<Principal> of(McpTransportContext context) {
        return context.get(KEY) instanceof Principal principal ? Optional.of(principal) : Optional.empty();
    }
}
