package dev.holdfast.mcp.modern;

import dev.holdfast.Holdfast;
import dev.holdfast.access.Principal;
import dev.holdfast.mcp.McpPrincipal;
import dev.holdfast.mcp.events.StoredKey;
import io.modelcontextprotocol.common.McpTransportContext;
import io.modelcontextprotocol.modern.server.HmacRequestStateCodec;
import io.modelcontextprotocol.modern.server.RequestStateCodec;
import java.time.Duration;

/**
 * How the state of a call that asks its client something travels with the client: sealed under a key that is kept in the store. By default the SDK
 * makes a key for each process, and a client that answers after a restart is refused; by this one the next process opens what the one before
 * sealed. State is opened for the principal it was given to, and for no one else.
 */
public final class RequestStates {

    /** How long a client may take to answer. */
    public static final Duration DEFAULT_LIFE = Duration.ofHours(1);

    private static final String KEY = "mcp/request-state-key";

    private RequestStates() {}

    /** For {@code McpServer.builder().requestStateCodec(...)}, with the key in the default tenant. */
    public static RequestStateCodec of(Holdfast holdfast) {
        return of(holdfast, DEFAULT_LIFE);
    }

    /**
     * @param life after which a state is not taken back
     */
    public static RequestStateCodec of(Holdfast holdfast, Duration life) {
        return HmacRequestStateCodec.builder()
                .key(StoredKey.of(holdfast.properties(), KEY))
                .ttl(life)
                .principalExtractor(RequestStates::who)
                .build();
    }

    private static String who(McpTransportContext context) {
        return McpPrincipal.of(context).map(RequestStates::spelled).orElse("");
    }

    private static String spelled(Principal principal) {
        return principal.tenant().length() + ":" + principal.tenant() + principal.name();
    }
}
