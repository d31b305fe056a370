package dev.holdfast.mcp.tasks;

import io.modelcontextprotocol.modern.McpSchema;
import io.modelcontextprotocol.modern.server.McpAsyncNotifier;
import io.modelcontextprotocol.modern.server.McpAsyncResponse;
import io.modelcontextprotocol.modern.server.McpFeature;
import io.modelcontextprotocol.modern.server.McpRequestContext;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;
import reactor.core.publisher.Mono;

/**
 * Something that a tool does, on a virtual thread of its own, whoever waits for it. Cancelled, the thread is interrupted, and what it waits for is
 * let go. Thread-safe.
 */
final class Attempt<T> {

    private final CompletableFuture<T> outcome = new CompletableFuture<>();
    private final Thread thread;

    private Attempt(Supplier<T> doing) {
        this.thread = Thread.ofVirtual()
                .name("holdfast-mcp-tool")
                .inheritInheritableThreadLocals(false)
                .unstarted(() -> run(doing));
    }

    /** Calls the tool, up to its answer or to what its stream is made of. */
    static Attempt<McpAsyncResponse<? extends McpSchema.Result>> call(
            McpFeature tools, McpRequestContext ctx, Map<String, @Nullable Object> params) {
        return start(() -> {
            McpAsyncResponse<? extends McpSchema.Result> response =
                    tools.handle(ctx, params).block();
            return there(response);
        });
    }

    /** Runs the rest of a tool that tells of its progress. */
    static <R extends McpSchema.Result> Attempt<McpSchema.Result> stream(
            McpAsyncResponse.Streaming<R> streaming, McpAsyncNotifier notifier) {
        return start(() -> {
            Mono<R> body = streaming.body().run(notifier);
            R result = body.block();
            return there(result);
        });
    }

    private static <T> T there(@Nullable T result) {
        if (result == null) {
            throw new IllegalStateException("A tool ended without a result");
        }
        return result;
    }

    private static <T> Attempt<T> start(Supplier<T> doing) {
        Attempt<T> attempt = new Attempt<>(doing);
        attempt.thread.start();
        return attempt;
    }

    private void run(Supplier<T> doing) {
        T result;
        try {
            result = doing.get();
        } catch (Throwable e) { // whatever a tool throws is its outcome
            outcome.completeExceptionally(Exceptions.unwrap(e));
            return;
        }
        outcome.complete(result);
    }

    void cancel() {
        thread.interrupt();
    }

    /**
     * Waits for the outcome, for a while at most; empty if there is none by then.
     *
     * @throws InterruptedException if the caller is interrupted, and then the attempt is cancelled
     */
    Optional<T> await(Duration patience) throws InterruptedException, ExecutionException {
        try {
            return Optional.of(outcome.get(Math.max(0, patience.toNanos()), TimeUnit.NANOSECONDS));
        } catch (TimeoutException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            cancel();
            throw e;
        }
    }

    /** Tells of the outcome, on the attempt's thread, or at once if it is there. */
    void whenDone(BiConsumer<@Nullable T, @Nullable Throwable> then) {
        var unused = outcome.whenComplete(then);
    }
}
