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
 * <p>A client that comes back with its last event id is given what follows it, each message once, and has proven that it has all before. One
 * that comes without an id is given what is kept from the first message on that was never proven: that a message was written to a connection,
 * and that the connection ended cleanly, prove nothing.
 *
 * <p>Clients that never send an id prove nothing, and must not be told the same for as long as it is kept. So a message that
 * {@value #REPEATS} connections carried, each of which went on after it (a later message, or a comment after the silence of a heartbeat, was
 * written to it as well), is not repeated without an id any more; with one it still is. What was written last to a connection that was
 * lost does not count, and comes again. How far it came is noted when a connection ends, and which connections went on is known in
 * memory only: after a crash or a restart more may come again. Thread-safe.
 */
final class Standalone {

    static final String STREAM = "standalone";

    private final Services services;
    private final String session;

    /** On so many connections a message is given to a client that proves nothing. */
    static final int REPEATS = 3;

    /** How far the connections came that came farthest, the farthest first; guarded by itself. */
    private final long[] reached = new long[REPEATS];

    /** Up to where it need not be repeated to who comes without an id. */
    private final AtomicLong delivered = new AtomicLong();

    /** Up to where that was stored by this process. */
    private final AtomicLong noted = new AtomicLong();

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
            byte[] encoded =
                    services.mapper().writeValueAsBytes(services.nodes().marked(message));
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

    /** Reads from the first message on that was neither proven to have arrived nor repeated often enough. */
    EventReader reader() {
        long from = Math.max(delivered.get(), reopened().delivered().orElse(0));
        return services.events().tail(session, STREAM, from);
    }

    /** A client came back with an id of this position: it has all before. */
    void provenTo(long position) {
        long unused = delivered.accumulateAndGet(position, Math::max);
    }

    /** A connection ended that had gone on after it had carried all before this position. */
    void reached(long position) {
        synchronized (reached) {
            long next = position;
            for (int i = 0; i < REPEATS; i++) {
                long farther = Math.max(reached[i], next);
                next = Math.min(reached[i], next);
                reached[i] = farther;
            }
            provenTo(reached[REPEATS - 1]);
        }
    }

    /** A connection ended; what is known is stored. */
    void rest() {
        EventLog log = open;
        long now = delivered.get();
        if (log != null && now > noted.get()) {
            try {
                log.deliveredTo(now);
                long unused = noted.accumulateAndGet(now, Math::max);
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
