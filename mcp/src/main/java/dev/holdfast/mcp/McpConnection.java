package dev.holdfast.mcp;

import dev.holdfast.access.Principal;
import io.modelcontextprotocol.common.McpTransportContext;
import java.time.Duration;

/**
 * The client's side of a call, for the tool that answers it: {@code McpConnection.of(exchange.transportContext())}. Thread-safe.
 */
public interface McpConnection {

    /** Where a transport context has it. */
    String KEY = "dev.holdfast.mcp.connection";

    /**
     * The connection of the call that the context belongs to.
     *
     * @throws IllegalStateException if the call came over another transport
     */
    static McpConnection of(McpTransportContext context) {
        if (context.get(KEY) instanceof McpConnection connection) {
            return connection;
        }
        throw new IllegalStateException("This call did not come over a transport of Holdfast.");
    }

    /** Who calls. */
    Principal principal();

    /**
     * Ends the connection, and not the stream that it reads: what the call sends from now on is stored, and the client fetches it when it
     * comes back. For long work that need not hold a connection. Does nothing if there is none, or if the client's revision (before
     * 2025-11-25) knows no way back.
     */
    void close();

    /**
     * As {@link #close()}.
     *
     * @param retry how long the client is asked to wait before it comes back
     */
    void close(Duration retry);
}
