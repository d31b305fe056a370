package dev.holdfast.mcp.streamable;

import dev.holdfast.access.Action;
import dev.holdfast.access.Principal;
import dev.holdfast.error.HoldfastException;
import dev.holdfast.http.Answers;
import dev.holdfast.http.Headers;
import dev.holdfast.http.Json;
import dev.holdfast.http.RequestHead;
import dev.holdfast.mcp.McpCall;
import dev.holdfast.mcp.McpConnection;
import dev.holdfast.mcp.McpPrincipal;
import dev.holdfast.mcp.McpProblem;
import dev.holdfast.mcp.events.EventLife;
import dev.holdfast.mcp.events.EventLog;
import io.modelcontextprotocol.common.McpTransportContext;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpStreamableServerSession;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/** Begins what a POST asks for: a session, calls, or what takes no answer. Thread-safe. */
final class Starting {

    private static final Logger LOG = LoggerFactory.getLogger(Starting.class);

    private static final int STREAM_ID_BITS = 64;

    /** How long a cancellation may take to be stored before its client is asked to come again. */
    private static final Duration CANCEL_PATIENCE = Duration.ofSeconds(10);

    private final Services services;
    private final SessionTable sessions;

    Starting(Services services, SessionTable sessions) {
        this.services = services;
        this.sessions = sessions;
    }

    /** Begins a session. It is durable before its id leaves. */
    void initialize(McpCall call, Principal principal, JsonNode message) throws IOException {
        Posted.check(message);
        JsonNode id = message.path("id");
        RequestHead head = call.exchange().head();
        if (head.value(Requests.SESSION) != null) {
            throw McpProblem.of(
                            400,
                            McpProblem.INVALID_REQUEST,
                            "The request initialize begins a session, and so names none in the header %s."
                                    .formatted(Requests.SESSION))
                    .because("session-not-wanted")
                    .to(id);
        }
        JsonNode parameters = message.path("params");
        McpSchema.InitializeRequest request = request(parameters, id);
        String session = sessions.newId();
        Requests.authorize(services.authorizer(), principal, Action.WRITE, session, Standalone.STREAM);
        McpStreamableServerSession.McpStreamableServerSessionInit started = sessions.start(request);
        McpSchema.InitializeResult result = result(started, context(head, new NoConnection(principal)), id);
        LiveSession unused = sessions.create(
                session,
                started.session(),
                new SessionRecord(principal.name(), result.protocolVersion(), parameters, null, List.of()));
        McpSchema.JSONRPCResponse answer = McpSchema.JSONRPCResponse.result(sdkId(id), result);
        Answers.json(
                call.exchange(),
                200,
                new Headers().set(Requests.SESSION, session),
                Json.MAPPER.readTree(services.mapper().writeValueAsBytes(answer)));
    }

    private McpSchema.InitializeRequest request(JsonNode parameters, JsonNode id) {
        if (!parameters.path("protocolVersion").isString()) {
            throw McpProblem.of(
                            400,
                            McpProblem.INVALID_REQUEST,
                            "The request initialize has parameters, an object, which name a protocolVersion.")
                    .because("invalid-initialize")
                    .to(id);
        }
        try {
            return sessions.initializeRequest(parameters);
        } catch (McpProblem e) {
            throw e.to(id);
        }
    }

    private static McpSchema.InitializeResult result(
            McpStreamableServerSession.McpStreamableServerSessionInit started,
            McpTransportContext context,
            JsonNode id) {
        McpSchema.InitializeResult result = null;
        try {
            result = started.initResult()
                    .contextWrite(values -> values.put(McpTransportContext.KEY, context))
                    .block();
        } catch (RuntimeException e) {
            LOG.error("The server failed to answer initialize", e);
        }
        if (result == null) {
            throw McpProblem.of(500, McpProblem.INTERNAL_ERROR, "The server failed to answer initialize.")
                    .because("initialize-failed")
                    .to(id);
        }
        return result;
    }

    private static Object sdkId(JsonNode id) {
        return id.isString() ? id.asString() : (Object) id.asLong();
    }

    /**
     * Begins calls, which run whether anyone reads their stream or not.
     *
     * @return a connection that is the first reader, and has entered the session
     */
    SseConnection begin(LiveSession session, Principal principal, McpCall call, Posted posted) {
        String stream = newStreamId();
        Requests.authorize(services.authorizer(), principal, Action.WRITE, session.id(), stream);
        RequestHead head = call.exchange().head();
        McpTransportContext context = context(head, new CallConnection(services, session, stream, principal));
        RunningCall running = stored(session, stream, call.posted(), posted);
        boolean begun = false;
        try {
            heed(session, principal, head, posted);
            SseConnection connection = new SseConnection(
                    services,
                    session,
                    stream,
                    call.exchange(),
                    services.events().tail(session.id(), stream));
            session.connections().attach(stream, connection);
            running.start(posted.requests(), context);
            begun = true;
            return connection;
        } finally {
            if (!begun) {
                posted.requests().forEach(running::notBegun);
            }
        }
    }

    /** Takes room for a call and the notifications that came with it, and stores what is asked. */
    private RunningCall stored(LiveSession session, String stream, JsonNode message, Posted posted) {
        int count = posted.requests().size();
        int room = count + posted.toHandle().size();
        session.calls().take(room);
        session.calls().announce(stream);
        boolean stored = false;
        try {
            EventLife life = EventLife.defaults().unusedFor(services.settings().answerLife());
            EventLog log = services.events().begin(session.id(), stream, Json.MAPPER.writeValueAsBytes(message), life);
            RunningCall running = running(session, log, keys(posted.requests()), count);
            stored = true;
            return running;
        } finally {
            if (!stored) {
                session.calls().remove(stream);
                session.calls().give(room);
            }
        }
    }

    static Set<Object> keys(List<McpSchema.JSONRPCRequest> requests) {
        return requests.stream().map(request -> Ids.key(request.id())).collect(Collectors.toSet());
    }

    /** A call that the session knows of until its last answer is stored. The caller has taken room for it. */
    RunningCall running(LiveSession session, EventLog log, Set<Object> unanswered, int count) {
        if (!session.enter()) {
            throw sessions.gone(session);
        }
        AtomicReference<@Nullable RunningCall> self = new AtomicReference<>();
        CallLog answers = new CallLog(log, unanswered, services, () -> {
            RunningCall call = self.get();
            if (call != null) {
                call.over();
            }
            session.calls().remove(log.stream());
            session.calls().give(count);
            session.leave();
        });
        RunningCall call = new RunningCall(services, session, answers);
        self.set(call);
        session.calls().add(call);
        if (session.isGone()) { // since it was entered
            call.abandon();
            throw sessions.gone(session);
        }
        return call;
    }

    private String newStreamId() {
        byte[] bytes = new byte[STREAM_ID_BITS / Byte.SIZE];
        ByteBuffer.wrap(bytes).putLong(services.settings().time().randomLong());
        return services.nodes().mark(Base64.getUrlEncoder().withoutPadding().encodeToString(bytes));
    }

    /** Takes notifications and responses that came without a request. A cancellation is durable when it returns. */
    void accept(LiveSession session, Principal principal, RequestHead head, Posted posted) {
        session.calls().take(posted.toHandle().size());
        heed(session, principal, head, posted);
    }

    /** Does what notifications and responses say; room for those to be handled was taken. */
    private void heed(LiveSession session, Principal principal, RequestHead head, Posted posted) {
        boolean cancelled = false;
        try {
            posted.cancellations().forEach(notification -> cancel(session, notification));
            cancelled = true;
        } finally {
            if (!cancelled) {
                session.calls().give(posted.toHandle().size());
            }
        }
        for (McpSchema.JSONRPCResponse response : posted.responses()) {
            Thread unused = Services.apart("answer", () -> services.nodes().answered(session, response, services));
        }
        for (McpSchema.JSONRPCNotification notification : posted.toHandle()) {
            notify(session, notification, context(head, new NoConnection(principal)));
        }
    }

    private void cancel(LiveSession session, McpSchema.JSONRPCNotification notification) {
        if (notification.params() instanceof Map<?, ?> parameters) {
            Object id = parameters.get("requestId");
            if (id instanceof String || id instanceof Number) {
                awaitStored(services.nodes().cancel(session, id));
            }
        }
    }

    static void awaitStored(CompletableFuture<Void> cancelled) {
        try {
            cancelled.get(CANCEL_PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof HoldfastException cause) {
                throw cause;
            }
            throw new IllegalStateException("A cancellation could not be stored", e);
        } catch (TimeoutException e) {
            throw McpProblem.of(
                            503,
                            McpProblem.INTERNAL_ERROR,
                            "The request was stopped, but that could not be stored yet. Cancel it again a little later.")
                    .because("cancellation-not-stored")
                    .retryAfter(StreamableLimits.RETRY_AFTER_SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new HoldfastException.Closed("The thread that stored a cancellation was interrupted.");
        }
    }

    /** A handler may ask the client something, whose answer comes with another POST: this one is not held up. */
    private void notify(LiveSession session, McpSchema.JSONRPCNotification notification, McpTransportContext context) {
        if (!session.enter()) {
            session.calls().give(1);
            throw sessions.gone(session);
        }
        Thread unused = Services.apart(
                "notification",
                () -> session.sdk()
                        .accept(notification)
                        .contextWrite(values -> values.put(McpTransportContext.KEY, context))
                        .doFinally(signal -> {
                            session.calls().give(1);
                            session.leave();
                        })
                        .subscribe(
                                done -> {},
                                error -> LOG.warn("The notification {} failed", notification.method(), error)));
    }

    /** What handlers see of the request. */
    McpTransportContext context(@Nullable RequestHead head, McpConnection connection) {
        McpTransportContext extracted =
                head == null ? McpTransportContext.EMPTY : services.extractor().extract(head);
        return extracted.putAll(Map.of(McpConnection.KEY, connection, McpPrincipal.KEY, connection.principal()));
    }

    /** The side of the client in a call. */
    record CallConnection(Services services, LiveSession session, String stream, Principal principal)
            implements McpConnection {

        @Override
        public void close() {
            close(services.settings().retry());
        }

        @Override
        public void close(Duration retry) {
            session.connections().close(stream, retry);
            services.nodes()
                    .endConnection(session.id(), stream, retry); // this node may not know yet that its own was lost
        }
    }

    /** Of what has no stream. */
    record NoConnection(Principal principal) implements McpConnection {

        @Override
        public void close() {}

        @Override
        public void close(Duration retry) {}
    }
}
