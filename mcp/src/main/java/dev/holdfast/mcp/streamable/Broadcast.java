package dev.holdfast.mcp.streamable;

import io.modelcontextprotocol.spec.McpSchema;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells all stored sessions something, those that are not in memory as well: each on its standalone stream, in a copy of its own. */
final class Broadcast {

    private static final Logger LOG = LoggerFactory.getLogger(Broadcast.class);

    private final Services services;

    Broadcast(Services services) {
        this.services = services;
    }

    /** Completes when all were told; that one could not be told is logged, and no reason not to tell the others. */
    CompletableFuture<Void> send(String method, Object params) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread unused = Services.apart("broadcast", () -> {
            try {
                sendNow(new McpSchema.JSONRPCNotification(method, params));
                done.complete(null);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                done.completeExceptionally(e);
            } catch (RuntimeException e) {
                done.completeExceptionally(e);
            }
        });
        return done;
    }

    private void sendNow(McpSchema.JSONRPCNotification notification) throws InterruptedException {
        Semaphore room = new Semaphore(StreamableLimits.BROADCAST_WRITES);
        services.sessions().forEach((id, record) -> {
            room.acquireUninterruptibly();
            Thread unused = Services.apart("broadcast", () -> {
                try {
                    new Standalone(services, id).send(notification).join();
                } catch (RuntimeException e) {
                    LOG.warn("A session was not told of {}: {}", notification.method(), e.getMessage());
                } finally {
                    room.release();
                }
            });
        });
        room.acquire(StreamableLimits.BROADCAST_WRITES);
    }
}
