package dev.holdfast.mcp.streamable;

import dev.holdfast.access.Principal;
import dev.holdfast.error.HoldfastException;
import dev.holdfast.http.Json;
import dev.holdfast.mcp.events.EventBatch;
import dev.holdfast.mcp.events.EventLog;
import dev.holdfast.mcp.events.EventReader;
import dev.holdfast.mcp.events.McpEvent;
import dev.holdfast.mcp.events.McpEventStore.Place;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * What becomes of the calls that ran when the server stopped. Each of their requests that has no answer yet is run again, if the application
 * said so of it, or answered with exactly one error that says what is known: nothing. The stream is taken over first, so that whoever wrote it
 * before writes no more (ONE-WRITER).
 */
final class Recovery implements Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

    private static final String UNKNOWN_OUTCOME =
            "The server was restarted while this request ran. Whether it took effect is unknown; check before you repeat it.";
    private static final String REASON = "server-restarted";

    private final Services services;
    private final SessionTable sessions;
    private final Starting starting;
    private final Predicate<RerunRequest> rerun;

    Recovery(Services services, SessionTable sessions, Starting starting, Predicate<RerunRequest> rerun) {
        this.services = services;
        this.sessions = sessions;
        this.starting = starting;
        this.rerun = rerun;
    }

    @Override
    public void run() {
        try {
            services.events().forEachLive(this::recover);
            services.sessions().forEach(this::restoreSubscriptions);
        } catch (HoldfastException e) {
            LOG.error("The calls that ran when the server stopped could not all be looked after", e);
        }
    }

    /** Only in memory a session is told of changes. */
    private void restoreSubscriptions(String id, SessionRecord record) {
        if (record.subscriptions().isEmpty() || services.closed().get()) {
            return;
        }
        try {
            sessions.enter(id, null).leave();
        } catch (RuntimeException e) {
            LOG.warn("The subscriptions of a session were not restored: {}", e.getMessage());
        }
    }

    private void recover(Place place) {
        if (place.stream().equals(Standalone.STREAM)
                || services.closed().get()
                || sessions.isOwn(place.session(), place.stream())) {
            return;
        }
        try {
            Optional<byte[]> request = services.events().request(place.session(), place.stream());
            if (request.isPresent()) {
                recover(place, request.get());
            }
        } catch (HoldfastException.StreamClosed | HoldfastException.StreamNotFound e) {
            LOG.debug("A call ended by itself: {}", e.getMessage());
        } catch (RuntimeException e) {
            LOG.error("The call on the stream {} could not be looked after", place.stream(), e);
        }
    }

    private void recover(Place place, byte[] request) {
        Optional<SessionStore.Stored> session = services.sessions().find(place.session());
        if (session.isEmpty()) {
            return; // nobody can ask for it; it expires, unless it is somebody else's who uses the event store by
            // itself
        }
        EventLog log = services.events().takeOver(place.session(), place.stream());
        Map<Object, McpSchema.JSONRPCRequest> unanswered = new LinkedHashMap<>();
        Posted.of(Json.MAPPER.readTree(request), services.mapper())
                .requests()
                .forEach(one -> unanswered.put(Ids.key(one.id()), one));
        unanswered.keySet().removeAll(answered(place));
        if (unanswered.isEmpty()) {
            log.end().join();
            return;
        }
        finish(place, session.get().record(), log, unanswered);
    }

    private Set<Object> answered(Place place) {
        Set<Object> answered = new HashSet<>();
        try (EventReader reader = services.events().tail(place.session(), place.stream())) {
            EventBatch batch;
            do {
                batch = reader.read(StreamableLimits.READ_BYTES);
                for (McpEvent event : batch.events()) {
                    addAnswered(event, answered);
                }
            } while (!batch.upToDate());
        }
        return answered;
    }

    private static void addAnswered(McpEvent event, Set<Object> answered) {
        try {
            JsonNode message = Json.MAPPER.readTree(event.text());
            if (!message.has("method") && message.has("id")) {
                JsonNode id = message.path("id");
                answered.add(id.isString() ? id.asString() : (Object) id.asLong());
            }
        } catch (JacksonException e) {
            LOG.warn("A stored message is no JSON", e);
        }
    }

    private void finish(
            Place place, SessionRecord record, EventLog log, Map<Object, McpSchema.JSONRPCRequest> unanswered) {
        List<McpSchema.JSONRPCRequest> again = new ArrayList<>();
        List<McpSchema.JSONRPCRequest> lost = new ArrayList<>();
        unanswered.values().forEach(request -> (isRerun(request) ? again : lost).add(request));
        LOG.info(
                "A call was interrupted: {} of its requests run again, {} end with an error",
                again.size(),
                lost.size());
        LiveSession session = again.isEmpty() ? null : sessions.enter(place.session(), null);
        if (session == null) {
            CallLog answers = new CallLog(
                    log,
                    unanswered.keySet(),
                    services.mapper(),
                    services.settings().limits().maxCallBytes(),
                    services.closed()::get,
                    () -> {});
            lost.forEach(request -> end(answers, request));
            return;
        }
        try {
            session.calls().force(unanswered.size());
            RunningCall call = starting.running(session, log, unanswered.keySet(), unanswered.size());
            lost.forEach(request -> end(call.log(), request));
            Principal principal = new Principal(services.tenant(), record.principal());
            call.start(
                    again,
                    starting.context(null, new Starting.CallConnection(services, session, place.stream(), principal)));
        } finally {
            session.leave();
        }
    }

    private static void end(CallLog answers, McpSchema.JSONRPCRequest request) {
        CompletableFuture<Void> unused = answers.fail(request.id(), UNKNOWN_OUTCOME, REASON);
    }

    private boolean isRerun(McpSchema.JSONRPCRequest request) {
        String tool = null;
        Map<String, Object> arguments = Map.of();
        if (request.method().equals("tools/call") && request.params() instanceof Map<?, ?> parameters) {
            tool = parameters.get("name") instanceof String name ? name : null;
            if (parameters.get("arguments") instanceof Map<?, ?> given) {
                arguments = new LinkedHashMap<>();
                for (Map.Entry<?, ?> entry : given.entrySet()) {
                    arguments.put(String.valueOf(entry.getKey()), entry.getValue());
                }
            }
        }
        try {
            return rerun.test(new RerunRequest(request.method(), tool, arguments));
        } catch (RuntimeException e) {
            LOG.error("Whether {} runs again could not be told; it does not", request.method(), e);
            return false;
        }
    }
}
