package dev.holdfast.http.admin;

import dev.holdfast.Holdfast;
import dev.holdfast.access.Action;
import dev.holdfast.access.Authorizer;
import dev.holdfast.access.Principal;
import dev.holdfast.access.Resource;
import dev.holdfast.error.HoldfastException.NotAuthorized;
import dev.holdfast.http.Answers;
import dev.holdfast.http.Call;
import dev.holdfast.http.Json;
import dev.holdfast.http.Router;
import dev.holdfast.session.SessionInfo;
import dev.holdfast.stream.Audience;
import dev.holdfast.stream.StreamListing;
import dev.holdfast.stream.StreamState;
import dev.holdfast.stream.StreamStatus;
import dev.holdfast.stream.Streams;
import dev.holdfast.turn.Incident;
import dev.holdfast.turn.TurnStatus;
import dev.holdfast.turn.Turns;
import java.io.IOException;
import java.time.Instant;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What this server is doing at this moment, as far as the caller may see it: live streams with their readers, turns, and what had to be taken up
 * again. Of the caller's tenant only, and of the sessions with the latest activity; every list has a bound. Changes nothing. Thread-safe.
 */
public final class ConsoleRoutes {

    /** Live streams that are listed, the newest ones. */
    static final int MAX_STREAMS = 100;

    /** Sessions whose turns are looked at, those with the latest activity. */
    static final int MAX_SESSIONS = 40;

    /** Turns of one session that are looked at, the newest ones. */
    static final int MAX_TURNS_OF_SESSION = 20;

    /** Turns, and recoveries, that are listed. */
    static final int MAX_LISTED = 100;

    private final Holdfast holdfast;
    private final Authorizer authorizer;
    private final NodeFigures node;

    /** @param node what the server itself knows */
    public ConsoleRoutes(Holdfast holdfast, Authorizer authorizer, NodeFigures node) {
        this.holdfast = holdfast;
        this.authorizer = authorizer;
        this.node = node;
    }

    public void addTo(Router.Builder routes) {
        routes.add("GET", "/api/v1/console", this::answer);
    }

    private void answer(Call call) throws IOException {
        Principal principal = call.principal();
        authorizer.authorize(principal, Action.LIST, new Resource.AllSessions());
        authorizer.authorize(principal, Action.LIST, new Resource.AllStreams());
        ObjectNode body = Json.MAPPER.createObjectNode();
        body.put("at", Instant.now().toString());
        body.put("version", node.version());
        ObjectNode here = body.putObject("node");
        here.put("uptimeSeconds", node.uptime().toSeconds());
        here.put("heapBytes", node.heapBytes());
        here.put("shardsHeld", holdfast.shardsHeld());
        body.put("connections", node.connections());
        body.put("watchedSessions", node.watchedSessions());
        ObjectNode store = body.putObject("store");
        node.storeBytes().ifPresentOrElse(bytes -> store.put("bytes", bytes), () -> store.putNull("bytes"));
        ArrayNode streams = body.putArray("streams");
        Map<String, SessionInfo> writers = new HashMap<>();
        sessions(principal, body.putArray("turns"), body.putArray("recoveries"), writers);
        streams(principal, streams, writers);
        Answers.json(call.exchange(), 200, body);
    }

    /** @param writers the sessions whose turns write streams, by the names of those */
    private void streams(Principal principal, ArrayNode array, Map<String, SessionInfo> writers) {
        Streams streams = holdfast.streams(principal.tenant());
        StreamListing live =
                StreamListing.all().in(EnumSet.of(StreamState.LIVE)).limit(MAX_STREAMS);
        for (StreamStatus stream : streams.list(live)) {
            if (isAllowed(principal, new Resource.OneStream(stream.name()))) {
                Audience audience = streams.audience(stream.name());
                ObjectNode node = array.addObject();
                node.put("name", stream.name());
                SessionInfo session = writers.get(stream.name());
                node.put("sessionId", session == null ? null : session.id());
                node.put("title", session == null ? null : session.title());
                node.put("state", named(stream.state()));
                node.put("chunks", stream.tail() - stream.firstSeq());
                node.put("readers", audience.readers());
                node.put("maxLagChunks", audience.maxLagChunks());
            }
        }
    }

    private void sessions(
            Principal principal, ArrayNode turns, ArrayNode recoveries, Map<String, SessionInfo> writers) {
        Turns all = holdfast.turns(principal.tenant());
        for (SessionInfo session : holdfast.sessions(principal.tenant()).list(MAX_SESSIONS)) {
            if (isAllowed(principal, new Resource.OneSession(session.id()))) {
                all.incidents(session.id()).forEach(incident -> add(recoveries, session, incident));
                for (TurnStatus turn : all.latest(session.id(), MAX_TURNS_OF_SESSION)) {
                    if (!turn.state().isOutcome()) {
                        add(turns, session, turn);
                        if (turn.streamName() != null) {
                            writers.put(turn.streamName(), session);
                        }
                    } else if (turn.attempts() > 1) {
                        addRecovered(recoveries, session, turn);
                    }
                }
            }
        }
    }

    private boolean isAllowed(Principal principal, Resource resource) {
        try {
            authorizer.authorize(principal, Action.READ, resource);
            return true;
        } catch (NotAuthorized e) {
            return false;
        }
    }

    private static void add(ArrayNode turns, SessionInfo session, TurnStatus turn) {
        if (turns.size() < MAX_LISTED) {
            ObjectNode node = turns.addObject();
            node.put("sessionId", session.id());
            node.put("title", session.title());
            node.put("id", turn.id());
            node.put("state", named(turn.state()));
            node.put("agent", turn.agent());
            node.put("attempts", turn.attempts());
            node.put("createdAt", turn.createdAt().toString());
        }
    }

    private static void add(ArrayNode recoveries, SessionInfo session, Incident incident) {
        if (recoveries.size() < MAX_LISTED) {
            ObjectNode node = recoveries.addObject();
            node.put("sessionId", session.id());
            node.put("title", session.title());
            node.put("turnId", incident.turnId());
            node.put("status", named(incident.status()));
            node.put("cause", named(incident.cause()));
            node.put("reason", incident.reason());
            node.put("attempts", incident.attempts());
            node.put("openedAt", incident.openedAt().toString());
            node.put("updatedAt", incident.updatedAt().toString());
        }
    }

    /** Its incident is gone; that it was started more than once is what is left of it. */
    private static void addRecovered(ArrayNode recoveries, SessionInfo session, TurnStatus turn) {
        if (recoveries.size() < MAX_LISTED) {
            ObjectNode node = recoveries.addObject();
            node.put("sessionId", session.id());
            node.put("title", session.title());
            node.put("turnId", turn.id());
            node.put("status", "recovered");
            node.putNull("cause");
            node.putNull("reason");
            node.put("attempts", turn.attempts());
            node.put("openedAt", turn.createdAt().toString());
            node.put("updatedAt", (turn.endedAt() == null ? turn.createdAt() : turn.endedAt()).toString());
        }
    }

    private static String named(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
