package dev.holdfast.mcp.modern;

import io.modelcontextprotocol.modern.JsonRpc.JSONRPCMessage;
import io.modelcontextprotocol.modern.JsonRpc.JSONRPCResponse;
import io.modelcontextprotocol.modern.server.McpTransportResponse;
import java.util.concurrent.CancellationException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Mono;

/**
 * The handling of one request, on a virtual thread of its own for as long as a feature blocks it. Cancelled, the thread is interrupted and
 * what was subscribed to is let go. Cancelled before it began, it does not begin.
 *
 * <p>Thread-safe.
 */
final class Work {

    private static final Logger LOG = LoggerFactory.getLogger(Work.class);

    /** What becomes of the work; called by whatever thread the feature works on. */
    interface Listener {

        void answered(JSONRPCResponse response);

        /** The answer is a stream of messages, which follow. */
        void streams();

        void message(JSONRPCMessage message);

        /** Nothing more comes. A stream that failed has no proper end. */
        void ended(@Nullable Throwable failure);
    }

    private final Supplier<Mono<McpTransportResponse>> handling;
    private final Listener listener;
    private final Messages messages = new Messages();
    private final Thread thread;
    private volatile boolean cancelled;

    Work(Supplier<Mono<McpTransportResponse>> handling, Listener listener) {
        this.handling = handling;
        this.listener = listener;
        this.thread = Thread.ofVirtual()
                .name("holdfast-mcp")
                .inheritInheritableThreadLocals(false)
                .unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    /** Harmless when it is done, or repeated. */
    void cancel() {
        cancelled = true;
        thread.interrupt();
        if (!thread.isAlive()) {
            messages.cancel();
        } // else the thread looks itself, once it has let go of what it blocks on
    }

    private void run() {
        if (cancelled) {
            listener.ended(new CancellationException("Cancelled before it began"));
            return;
        }
        try {
            McpTransportResponse response = handling.get().block();
            switch (response) {
                case McpTransportResponse.Result result -> listener.answered(result.response());
                case McpTransportResponse.Error error -> listener.answered(error.response());
                case McpTransportResponse.Streaming streaming -> {
                    listener.streams();
                    streaming.messages().subscribe(messages);
                }
                case null, default -> listener.ended(new IllegalStateException("There is no answer"));
            }
        } catch (RuntimeException | Error e) {
            if (!cancelled) {
                LOG.error("A request failed by a defect", e);
            }
            listener.ended(e);
        }
        if (cancelled) {
            messages.cancel();
        }
    }

    private final class Messages extends BaseSubscriber<JSONRPCMessage> {

        @Override
        protected void hookOnNext(JSONRPCMessage message) {
            listener.message(message);
        }

        @Override
        protected void hookOnComplete() {
            listener.ended(null);
        }

        @Override
        protected void hookOnError(Throwable failure) {
            listener.ended(failure);
        }
    }
}
