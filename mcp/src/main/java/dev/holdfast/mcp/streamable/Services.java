package dev.holdfast.mcp.streamable;

import dev.holdfast.access.Authorizer;
import dev.holdfast.error.HoldfastException;
import dev.holdfast.http.Deadlines;
import dev.holdfast.http.RequestHead;
import dev.holdfast.mcp.events.McpEventStore;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.server.McpTransportContextExtractor;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * What the parts of one transport share.
 *
 * @param nodes the same transport on other nodes
 * @param closed whether the transport was closed
 */
record Services(
        StreamableSettings settings,
        String tenant,
        McpEventStore events,
        SessionStore sessions,
        McpJsonMapper mapper,
        McpTransportContextExtractor<RequestHead> extractor,
        Authorizer authorizer,
        Deadlines deadlines,
        OtherNodes nodes,
        AtomicBoolean closed) {

    private static final Executor APART = work -> {
        Thread unused = apart("application", work);
    };

    /**
     * What may be over at the next try. In a cluster that is also what a node is told that lost a shard: the next try finds the shard's new holder. What was
     * stored the first time then is not stored twice, where it ends its stream.
     */
    boolean isPassing(Throwable error) {
        boolean passing = error instanceof HoldfastException.StoreFull
                || error instanceof HoldfastException.StoreBusy
                || error instanceof HoldfastException.StoreFailed
                || error instanceof HoldfastException.Overloaded;
        boolean handsChanged = error instanceof HoldfastException.OutcomeUnknown
                || error instanceof HoldfastException.StorePoisoned
                || error instanceof HoldfastException.Closed;
        return passing || (nodes.isCluster() && handsChanged);
    }

    long wallMillis() {
        return settings.time().wallMillis();
    }

    /** The same, whose followers run on a virtual thread of their own, and not on the one that completes it. */
    static <T> CompletableFuture<T> goingOnApart(CompletableFuture<T> future) {
        return future.whenCompleteAsync((done, error) -> {}, APART);
    }

    /** As {@link #goingOnApart}, of work that may wait before it has a future. */
    static <T> CompletableFuture<T> askedApart(Supplier<CompletableFuture<T>> work) {
        return goingOnApart(CompletableFuture.completedFuture(null).thenComposeAsync(nothing -> work.get(), APART));
    }

    /** Runs something on a virtual thread of its own. */
    static Thread apart(String what, Runnable work) {
        return Thread.ofVirtual().name("holdfast-mcp-" + what).start(work);
    }
}
