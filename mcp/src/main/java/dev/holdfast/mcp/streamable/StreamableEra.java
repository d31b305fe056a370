package dev.holdfast.mcp.streamable;

import dev.holdfast.access.Action;
import dev.holdfast.access.Principal;
import dev.holdfast.error.HoldfastException.CursorAhead;
import dev.holdfast.error.HoldfastException.CursorTooOld;
import dev.holdfast.error.HoldfastException.NotAuthorized;
import dev.holdfast.error.HoldfastException.StreamGone;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.error.HoldfastException.WrongCursor;
import dev.holdfast.http.Answers;
import dev.holdfast.http.Exchange;
import dev.holdfast.http.Headers;
import dev.holdfast.http.RequestHead;
import dev.holdfast.mcp.McpCall;
import dev.holdfast.mcp.McpEndpoint;
import dev.holdfast.mcp.McpEra;
import dev.holdfast.mcp.McpProblem;
import dev.holdfast.mcp.events.EventId;
import dev.holdfast.mcp.events.EventReader;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Streamable HTTP with sessions: which request is answered how. Thread-safe. */
final class StreamableEra implements McpEra {

    private final Services services;
    private final Runnable closing;
    private volatile @Nullable SessionTable sessions;
    private volatile @Nullable Starting starting;

    StreamableEra(Services services, Runnable closing) {
        this.services = services;
        this.closing = closing;
    }

    /** The SDK's server is there. */
    void serve(SessionTable table, Starting calls) {
        starting = calls;
        sessions = table;
    }

    private SessionTable sessions() {
        SessionTable table = sessions;
        if (services.closed().get()) {
            throw SessionTable.closing();
        }
        if (table == null) {
            throw McpProblem.of(503, McpProblem.INTERNAL_ERROR, "No MCP server was built on this transport yet.")
                    .because("not-serving")
                    .retryAfter(StreamableLimits.RETRY_AFTER_SECONDS);
        }
        return table;
    }

    private Starting starting() {
        Starting calls = starting;
        if (calls == null) {
            throw new IllegalStateException("There is no server");
        }
        return calls;
    }

    @Override
    public void post(McpCall call) throws IOException, InterruptedException {
        SessionTable table = sessions();
        Principal principal = Requests.ofTenant(call, services.tenant());
        RequestHead head = call.exchange().head();
        Requests.checkRevision(head);
        JsonNode message = call.posted();
        if (Posted.isInitialize(message)) {
            starting().initialize(call, principal, message);
            return;
        }
        LiveSession session = table.enter(Requests.session(head), principal.name());
        boolean handedOn = false;
        try {
            checkBatch(session, message);
            Posted posted = Posted.of(message, services.mapper());
            if (posted.requests().isEmpty()) {
                Requests.authorize(services.authorizer(), principal, Action.WRITE, session.id(), Standalone.STREAM);
                starting().accept(session, principal, head, posted);
                Answers.empty(call.exchange(), 202, new Headers());
            } else {
                SseConnection connection = starting().begin(session, principal, call, posted);
                handedOn = true;
                stay(call.exchange(), connection);
            }
        } finally {
            if (!handedOn) {
                session.leave();
            }
        }
    }

    private void checkBatch(LiveSession session, JsonNode message) {
        if (!message.isArray()) {
            return;
        }
        if (!Revisions.hasBatches(session.revision())) {
            throw McpProblem.of(
                            400,
                            McpProblem.INVALID_REQUEST,
                            "The revision %s has no batches. Send one message at a time.".formatted(session.revision()))
                    .because("no-batches");
        }
        int max = services.settings().limits().maxBatchMessages();
        if (message.size() > max) {
            throw McpProblem.of(
                            400,
                            McpProblem.INVALID_REQUEST,
                            "A batch has at most %d messages (maxBatchMessages).".formatted(max))
                    .because("batch-too-large");
        }
    }

    /** Leaves the response to its connection, which is closed whatever happens. */
    private static void stay(Exchange exchange, SseConnection connection) throws IOException, InterruptedException {
        boolean left = false;
        try {
            connection.begin();
            left = true;
        } finally {
            if (!left) {
                connection.close();
            }
        }
        exchange.goOnApart(connection);
    }

    @Override
    public void get(McpCall call) throws IOException, InterruptedException {
        SessionTable table = sessions();
        Principal principal = Requests.ofTenant(call, services.tenant());
        RequestHead head = call.exchange().head();
        McpEndpoint.requireAccept(head, "text/event-stream");
        Requests.checkRevision(head);
        LiveSession session = table.enter(Requests.session(head), principal.name());
        boolean handedOn = false;
        try {
            String last = Requests.lastEvent(head);
            EventId event = last == null ? null : parse(last);
            String stream = event == null ? Standalone.STREAM : event.stream();
            Requests.authorize(services.authorizer(), principal, Action.READ, session.id(), stream);
            EventReader reader = event == null ? session.standalone().reader() : resume(session, event);
            SseConnection connection = new SseConnection(services, session, stream, call.exchange(), reader);
            handedOn = true;
            session.connections().attach(stream, connection);
            services.nodes().superseded(session.id(), stream);
            stay(call.exchange(), connection);
        } finally {
            if (!handedOn) {
                session.leave();
            }
        }
    }

    private EventId parse(String last) {
        try {
            return services.events().parse(last);
        } catch (WrongCursor e) {
            throw refused(400, "wrong-event-id", message(e));
        }
    }

    private EventReader resume(LiveSession session, EventId event) {
        try {
            EventReader reader = services.events().tail(session.id(), event);
            if (event.stream().equals(Standalone.STREAM)) {
                session.standalone().provenTo(reader.position());
            }
            return reader;
        } catch (NotAuthorized e) {
            throw refused(403, "foreign-event-id", message(e));
        } catch (CursorTooOld e) {
            throw refused(
                    410,
                    "events-trimmed",
                    "What followed this event is not kept any more. Some of it is lost; begin anew.");
        } catch (StreamNotFound | StreamGone | CursorAhead e) {
            throw refused(
                    410,
                    "stream-gone",
                    "The stream of this event is not kept any more. Its request was made too long ago; repeat it if that is safe.");
        }
    }

    private static McpProblem refused(int status, String reason, String sentence) {
        return McpProblem.of(status, McpProblem.INVALID_REQUEST, sentence).because(reason);
    }

    private static String message(RuntimeException e) {
        String message = e.getMessage();
        return message == null ? "" : message;
    }

    @Override
    public void delete(McpCall call) {
        SessionTable table = sessions();
        Principal principal = Requests.ofTenant(call, services.tenant());
        RequestHead head = call.exchange().head();
        Requests.checkRevision(head);
        LiveSession session = table.enter(Requests.session(head), principal.name());
        try {
            Requests.authorize(services.authorizer(), principal, Action.DELETE, session.id(), Standalone.STREAM);
            table.delete(session);
        } finally {
            session.leave();
        }
        Answers.empty(call.exchange(), 204, new Headers());
    }

    @Override
    public void close() {
        closing.run();
    }
}
