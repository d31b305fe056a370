package dev.holdfast.mcp.streamable;

import dev.holdfast.http.Deadlines;
import io.modelcontextprotocol.common.McpTransportContext;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * The requests of one POST while they run, each on a virtual thread of its own and detached from any connection: that a client goes away stops
 * nothing (DISCONNECT-IS-NOT-STOP). While it runs, its stream and its session do not expire. Thread-safe.
 */
final class RunningCall {

    private static final Logger LOG = LoggerFactory.getLogger(RunningCall.class);

    private static final int TOUCHES_PER_LIFE = 4;

    private final Services services;
    private final LiveSession session;
    private final CallLog log;
    private final Map<Object, Run> runs = new ConcurrentHashMap<>();
    private final Deadlines.Deadline keeper;

    /** Guarded by this. */
    private boolean ended;

    RunningCall(Services services, LiveSession session, CallLog log) {
        this.services = services;
        this.session = session;
        this.log = log;
        this.keeper = services.deadlines().of(this::keep);
    }

    String stream() {
        return log.stream();
    }

    CallLog log() {
        return log;
    }

    /** One request on its way through the SDK. */
    private static final class Run {
        private final Disposable.Swap subscription = Disposables.swap();

        /** The thread in which the SDK was called, until it has returned. Guarded by this. */
        private @Nullable Thread thread;

        private boolean stopped;

        synchronized boolean enter() {
            thread = Thread.currentThread();
            return !stopped;
        }

        synchronized void leave() {
            thread = null;
        }

        void stop() {
            synchronized (this) {
                stopped = true;
                if (thread != null && thread != Thread.currentThread()) {
                    thread.interrupt();
                }
            }
            subscription.dispose();
        }
    }

    /** Runs the requests; not those that were cancelled meanwhile, and none if the call is over or was abandoned. */
    void start(List<McpSchema.JSONRPCRequest> requests, McpTransportContext context) {
        for (McpSchema.JSONRPCRequest request : requests) {
            runs.put(Ids.key(request.id()), new Run()); // first: who ends a request from now on finds its run
        }
        synchronized (this) {
            if (ended) {
                runs.clear();
                return;
            }
            keepAgain();
        }
        for (McpSchema.JSONRPCRequest request : requests) {
            Object key = Ids.key(request.id());
            Run run = runs.get(key);
            if (run != null && log.waitsFor(key)) {
                Thread unused = Services.apart("call", () -> run(request, run, context));
            }
        }
    }

    private void run(McpSchema.JSONRPCRequest request, Run run, McpTransportContext context) {
        if (!run.enter()) {
            return;
        }
        try {
            LogTransport transport = new LogTransport(services.mapper(), message -> send(request, message));
            run.subscription.update(session.sdk()
                    .responseStream(transport)
                    .handle(request)
                    .contextWrite(values -> values.put(McpTransportContext.KEY, context))
                    .subscribe(
                            done -> {},
                            error -> failed(request, error),
                            () -> fail(request, "The request was handled, but without an answer.", "no-answer")));
        } catch (RuntimeException | Error e) {
            failed(request, e);
        } finally {
            run.leave();
        }
    }

    private CompletableFuture<Void> send(McpSchema.JSONRPCRequest request, McpSchema.JSONRPCMessage message) {
        if (message instanceof McpSchema.JSONRPCResponse response
                && response.error() == null
                && log.waitsFor(Ids.key(request.id()))) {
            session.remember(request);
        }
        return log.send(services.nodes().marked(message));
    }

    private void failed(McpSchema.JSONRPCRequest request, Throwable error) {
        LOG.warn("The request {} failed", request.method(), error); // the session's id would be a credential in a log
        String message = error instanceof McpError ? error.getMessage() : null;
        fail(request, message == null ? "The server failed to answer this request." : message, "handler-failed");
    }

    /** A request that is stored will not be run after all. */
    void notBegun(McpSchema.JSONRPCRequest request) {
        fail(request, "The request was stored, but not begun.", "not-begun");
    }

    /** Only if it was not answered: there is one answer. */
    private void fail(McpSchema.JSONRPCRequest request, String sentence, String reason) {
        if (log.waitsFor(Ids.key(request.id()))) {
            CompletableFuture<Void> unused = log.fail(request.id(), sentence, reason);
        }
    }

    /** The client does not want the answer any more. Completes when that is durable. */
    CompletableFuture<Void> cancel(Object key) {
        Run run = runs.get(key); // before the call may be over, which forgets it
        Optional<CompletableFuture<Void>> stored = log.cancel(key);
        if (stored.isPresent() && run != null) {
            run.stop();
        }
        return stored.orElseGet(() -> CompletableFuture.completedFuture(null));
    }

    /** Stops what runs and leaves the stream as it is, for the next process or for its deletion. */
    void abandon() {
        log.abandon();
        synchronized (this) {
            ended = true;
            keeper.cancel();
        }
        runs.values().forEach(Run::stop);
    }

    /** The last answer is stored. */
    void over() {
        synchronized (this) {
            ended = true;
            keeper.cancel();
        }
        runs.clear();
    }

    private void keep() {
        Thread unused = Services.apart("keep", () -> {
            try {
                services.events().touch(session.id(), log.stream());
                session.touch();
            } catch (RuntimeException e) {
                LOG.warn("The life of a call's stream could not be extended", e);
            }
            synchronized (this) {
                if (!ended) {
                    keepAgain();
                }
            }
        });
    }

    private void keepAgain() {
        StreamableSettings settings = services.settings();
        long life =
                Math.min(settings.answerLife().toNanos(), settings.sessionLife().toNanos());
        keeper.set(settings.time().monotonicNanos() + life / TOUCHES_PER_LIFE);
    }
}
