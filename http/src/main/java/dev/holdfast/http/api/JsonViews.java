package dev.holdfast.http.api;

import dev.holdfast.http.Json;
import dev.holdfast.session.FeedEvent;
import dev.holdfast.session.LiveTurn;
import dev.holdfast.session.Message;
import dev.holdfast.session.SessionInfo;
import dev.holdfast.turn.Incident;
import dev.holdfast.turn.TurnState;
import dev.holdfast.turn.TurnStatus;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/** How the API shows what core hands out. Times are ISO 8601 in UTC; what is absent is null. */
public final class JsonViews {

    private JsonViews() {}

    static ObjectNode object() {
        return Json.MAPPER.createObjectNode();
    }

    static ObjectNode session(SessionInfo session) {
        ObjectNode node = object();
        node.put("id", session.id());
        node.put("title", session.title());
        node.put("createdAt", session.createdAt().toString());
        node.put("updatedAt", session.updatedAt().toString());
        return node;
    }

    public static ObjectNode message(Message message) {
        ObjectNode node = object();
        node.put("id", message.id());
        node.put("parentId", message.parent());
        node.put("role", message.role());
        node.set("content", content(message));
        node.put("createdAt", message.createdAt().toString());
        node.put("updatedAt", message.updatedAt().toString());
        return node;
    }

    /** JSON as it is; anything else, which other applications on the same store may have written, as text. */
    private static JsonNode content(Message message) {
        try {
            return Json.MAPPER.readTree(message.content());
        } catch (JacksonException e) {
            return StringNode.valueOf(message.text());
        }
    }

    public static ArrayNode messages(List<Message> messages) {
        ArrayNode array = Json.MAPPER.createArrayNode();
        messages.forEach(message -> array.add(message(message)));
        return array;
    }

    static ObjectNode turn(TurnStatus turn) {
        ObjectNode node = object();
        node.put("sessionId", turn.sessionId());
        node.put("id", turn.id());
        node.put("state", state(turn.state()));
        node.put("agent", turn.agent());
        node.put("messageId", turn.messageId());
        node.put("userMessageId", turn.userMessageId());
        node.put("attempts", turn.attempts());
        node.put("stopRequested", turn.stopRequested());
        node.put("error", turn.error());
        node.put("createdAt", turn.createdAt().toString());
        node.put("startsAt", turn.startsAt() == null ? null : turn.startsAt().toString());
        node.put("endedAt", turn.endedAt() == null ? null : turn.endedAt().toString());
        node.put("events", turnPath(turn.sessionId(), turn.id()) + "/events");
        return node;
    }

    static ArrayNode turns(List<TurnStatus> turns) {
        ArrayNode array = Json.MAPPER.createArrayNode();
        turns.forEach(turn -> array.add(turn(turn)));
        return array;
    }

    static ArrayNode incidents(List<Incident> incidents) {
        ArrayNode array = Json.MAPPER.createArrayNode();
        for (Incident incident : incidents) {
            ObjectNode node = array.addObject();
            node.put("turnId", incident.turnId());
            node.put("status", named(incident.status()));
            node.put("cause", named(incident.cause()));
            node.put("reason", incident.reason());
            node.put("attempts", incident.attempts());
            node.put("work", incident.work());
            node.put("openedAt", incident.openedAt().toString());
            node.put("updatedAt", incident.updatedAt().toString());
        }
        return array;
    }

    private static String named(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public static String state(TurnState state) {
        return state.name().toLowerCase(Locale.ROOT);
    }

    static ArrayNode liveTurns(String sessionId, List<LiveTurn> turns) {
        ArrayNode array = Json.MAPPER.createArrayNode();
        for (LiveTurn turn : turns) {
            ObjectNode node = array.addObject();
            node.put("id", turn.turnId());
            node.put("state", turn.state().name().toLowerCase(Locale.ROOT));
            node.put("messageId", turn.messageId());
            node.put("events", turnPath(sessionId, turn.turnId()) + "/events");
        }
        return array;
    }

    static ObjectNode feedEvent(FeedEvent event) {
        ObjectNode node = object();
        node.put("seq", event.seq());
        node.put("at", event.at().toString());
        node.put("messageId", event.message());
        node.put("turnId", event.turn());
        node.put("detail", event.detail());
        return node;
    }

    static String sessionPath(String sessionId) {
        return SESSIONS + "/" + encoded(sessionId);
    }

    static String turnPath(String sessionId, String turnId) {
        return sessionPath(sessionId) + "/turns/" + encoded(turnId);
    }

    static final String SESSIONS = "/api/v1/sessions";

    static String encoded(@Nullable String text) {
        return URLEncoder.encode(String.valueOf(text), StandardCharsets.UTF_8).replace("+", "%20");
    }
}
