package dev.holdfast.mcp.streamable;

import dev.holdfast.access.Principal;
import dev.holdfast.error.HoldfastException;
import dev.holdfast.http.Json;
import dev.holdfast.mcp.McpProblem;
import dev.holdfast.mcp.Pause;
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
 * What becomes of the calls that ran when the server stopped, or on a node of the cluster that is gone. Each of their requests that has no answer yet is run again, if the application
 * said so of it, or answered with exactly one error that says what is known: nothing. The stream is taken over first, so that whoever wrote it
 * before writes no more (ONE-WRITER).
 */
final class Recovery implements Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

    private static final String UNKNOWN_OUTCOME =
            "The server was restarted while this request ran. Whether it took effect is unknown; check before you repeat it.";
    private static final String REASON = "server-restarted";
    private static final int UNAVAILABLE = 503;

    private final Services services;
    private final SessionTable sessions;
    private final Starting starting;
    private final Predicate<RerunRequest> rerun;

    /** What is to be tried again. Of the thread that runs this. */
    private final List<Runnable> later = new ArrayList<>();

    Recovery(Services services, SessionTable sessions, Starting starting, Predicate<RerunRequest> rerun) {
        this.services = services;
        this.sessions = sessions;
        this.starting = starting;
        this.rerun = rerun;
    }

    /** What fails for the moment is tried again after pauses that grow, and holds up nothing else, until it is done or the server closes. */
    @Override
    public void run() {
        List<Runnable> jobs = List.of(
                () -> services.events().forEachLive(place -> attempt(() -> recover(place))),
                () -> services.sessions().forEach((id, record) -> attempt(() -> restoreSubscriptions(id, record))));
        Pause pause = Pause.FIRST;
        while (true) {
            jobs.forEach(this::attempt);
            if (later.isEmpty() || services.closed().get()) {
                return;
            }
            jobs = List.copyOf(later);
            later.clear();
            pause.sleep();
            pause = pause.longer();
        }
    }

    private void attempt(Runnable job) {
        if (services.closed().get()) {
            return;
        }
        try {
            job.run();
        } catch (RuntimeException e) {
            if (isPassing(e)) {
                LOG.warn("What a stopped server has left is looked after a little later: {}", e.getMessage());
                later.add(job);
            } else {
                LOG.error("Something that a stopped server has left could not be looked after", e);
            }
        }
    }

    private boolean isPassing(RuntimeException error) {
        return services.isPassing(CallLog.cause(error))
                || (error instanceof McpProblem problem && problem.status() == UNAVAILABLE);
    }

    /** Only in memory a session is told of changes. */
    private void restoreSubscriptions(String id, SessionRecord record) {
        if (record.subscriptions().isEmpty() || sessions.isFull()) {
            return; // where there is no room, others would be let go for it
        }
        try {
            sessions.enter(id, null).leave();
        } catch (McpProblem e) {
            if (isPassing(e)) {
                throw e;
            }
            LOG.debug("A session ended before its subscriptions were restored");
        }
    }

    private void recover(Place place) {
        if (place.stream().equals(Standalone.STREAM) || sessions.isOwn(place.session(), place.stream())) {
            return;
        }
        try {
            if (!services.events().takeUp(place.session(), place.stream())) {
                return; // it runs on another node, or another one looks after it
            }
            Optional<byte[]> request = services.events().request(place.session(), place.stream());
            if (request.isPresent()) {
                recover(place, request.get());
            }
        } catch (HoldfastException.StreamClosed | HoldfastException.StreamNotFound e) {
            LOG.debug("A call ended by itself: {}", e.getMessage());
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
        services.events()
                .cancelled(place.session(), place.stream())
                .forEach(id -> unanswered.remove(key(Json.MAPPER.readTree(id))));
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

    private static Object key(JsonNode id) {
        return id.isString() ? id.asString() : (Object) id.asLong();
    }

    private static void addAnswered(McpEvent event, Set<Object> answered) {
        try {
            JsonNode message = Json.MAPPER.readTree(event.text());
            if (!message.has("method") && message.has("id")) {
                answered.add(key(message.path("id")));
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
        Optional<LiveSession> session = again.isEmpty() ? Optional.empty() : restored(place.session());
        if (session.isEmpty()) {
            CallLog answers = new CallLog(log, unanswered.keySet(), services, () -> {});
            unanswered.values().forEach(request -> end(answers, request));
            return;
        }
        Principal principal = new Principal(services.tenant(), record.principal());
        rerun(session.get(), log, unanswered.keySet(), principal, again, lost);
    }

    /** Enters the session; empty if it cannot be had again, so that its calls end here. */
    private Optional<LiveSession> restored(String session) {
        try {
            return Optional.of(sessions.enter(session, null));
        } catch (RuntimeException e) {
            if (isPassing(e)) {
                throw e;
            }
            LOG.error("A session could not be restored; its calls are not run again but end with an error", e);
            return Optional.empty();
        }
    }

    private void rerun(
            LiveSession session,
            EventLog log,
            Set<Object> unanswered,
            Principal principal,
            List<McpSchema.JSONRPCRequest> again,
            List<McpSchema.JSONRPCRequest> lost) {
        boolean running = false;
        session.calls().force(unanswered.size());
        try {
            RunningCall call = starting.running(session, log, unanswered, unanswered.size());
            running = true;
            lost.forEach(request -> end(call.log(), request));
            call.start(
                    again,
                    starting.context(null, new Starting.CallConnection(services, session, log.stream(), principal)));
        } finally {
            if (!running) {
                session.calls().give(unanswered.size());
            }
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
