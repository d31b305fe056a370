package dev.holdfast.mcp.streamable;

import io.modelcontextprotocol.server.McpSyncServerExchange;
import io.modelcontextprotocol.spec.McpSchema;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** A running call of the tool {@code script}, whose steps a test takes one by one. */
final class Script {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /** What the tool does next; an answer ends it. */
    private interface Step {
        Optional<McpSchema.CallToolResult> take(McpSyncServerExchange exchange);
    }

    private final BlockingQueue<Step> steps = new LinkedBlockingQueue<>();
    private final CountDownLatch started = new CountDownLatch(1);
    private final CountDownLatch interrupted = new CountDownLatch(1);

    /** The tool's side. */
    McpSchema.CallToolResult run(McpSyncServerExchange exchange) {
        started.countDown();
        try {
            while (true) {
                Optional<McpSchema.CallToolResult> answer = steps.take().take(exchange);
                if (answer.isPresent()) {
                    return answer.get();
                }
            }
        } catch (InterruptedException e) {
            interrupted.countDown();
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    void awaitStarted() throws InterruptedException {
        if (!started.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            throw new IllegalStateException("The tool was not called");
        }
    }

    void awaitInterrupted() throws InterruptedException {
        if (!interrupted.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            throw new IllegalStateException("The tool was not interrupted");
        }
    }

    boolean isInterrupted() {
        return interrupted.getCount() == 0;
    }

    /** Does something in the tool, and waits until it is done. */
    <T> T with(Function<McpSyncServerExchange, T> work) {
        return later(work).orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    }

    /** Does something in the tool. */
    <T> CompletableFuture<T> later(Function<McpSyncServerExchange, T> work) {
        CompletableFuture<T> done = new CompletableFuture<>();
        steps.add(exchange -> {
            try {
                done.complete(work.apply(exchange));
            } catch (RuntimeException | Error e) {
                done.completeExceptionally(e);
                throw e; // or a test that waits for what was to be sent would wait for ever
            }
            return Optional.empty();
        });
        return done;
    }

    /** Sends a log message, which is durable when this returns. */
    void log(String text) {
        boolean unused = with(exchange -> {
            Site.log(exchange, text);
            return true;
        });
    }

    /** Answers. */
    void finish(String text) {
        steps.add(exchange -> Optional.of(Site.text(text)));
    }
}
