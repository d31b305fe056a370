package dev.holdfast.mcp.streamable;

import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.mcp.events.EventLife;
import dev.holdfast.mcp.events.EventLog;
import dev.holdfast.mcp.events.EventReader;
import io.modelcontextprotocol.spec.McpSchema;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The stream of a session that belongs to no request: what the server has to say by itself is stored there, whether anyone listens or not, and
 * kept as its retention says. It is made when it is first used.
 *
 * <p>A client that comes back with its last event id is given what follows it, each message once. One that comes without an id is given what no
 * connection was surely given yet: what was written last to a connection may have been lost with it, and comes again. How far connections came
 * is noted when one ends, so after a crash more may come again to such a client. Thread-safe.
 */
final class Standalone {

    static final String STREAM = "standalone";

    private final Services services;
    private final String session;

    /** Up to where connections of this process were given it. */
    private final AtomicLong delivered = new AtomicLong();

    private volatile @Nullable EventLog open;

    Standalone(Services services, String session) {
        this.services = services;
        this.session = session;
    }

    /** Stores a message; a response has no place here. */
    CompletableFuture<Void> send(McpSchema.JSONRPCMessage message) {
        if (message instanceof McpSchema.JSONRPCResponse) {
            return CompletableFuture.failedFuture(
                    new InvalidArgument("A response goes to the stream of its request, never to the standalone one."));
        }
        try {
            byte[] encoded = services.mapper().writeValueAsBytes(message);
            return log().send(encoded)
                    .handle((done, error) -> error == null ? null : CallLog.cause(error))
                    .thenCompose(error -> switch (error) {
                        case null -> CompletableFuture.completedFuture(null);
                        case StreamNotFound expired -> reopened().send(encoded);
                        default -> CompletableFuture.failedFuture(error);
                    });
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private EventLog log() {
        EventLog known = open;
        return known != null ? known : reopened();
    }

    private EventLog reopened() {
        EventLife life = new EventLife(
                services.settings().sessionLife(), services.settings().standalone());
        EventLog log = services.events().open(session, STREAM, life);
        open = log;
        return log;
    }

    /** Reads what no connection was given yet. */
    EventReader reader() {
        long from = Math.max(delivered.get(), reopened().delivered().orElse(0));
        return services.events().tail(session, STREAM, from);
    }

    void deliveredTo(long position) {
        delivered.accumulateAndGet(position, Math::max);
    }

    /** A connection ended; what it was given is remembered. */
    void rest() {
        EventLog log = open;
        if (log != null && delivered.get() > 0) {
            try {
                log.deliveredTo(delivered.get());
            } catch (StreamNotFound e) {
                open = null;
            }
        }
    }

    /** Keeps the stream, if there is one, for as long as the session. */
    void touch() {
        if (services.events().exists(session, STREAM)) {
            services.events().touch(session, STREAM);
        }
    }
}
