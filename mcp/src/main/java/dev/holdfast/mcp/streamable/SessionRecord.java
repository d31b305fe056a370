package dev.holdfast.mcp.streamable;

import dev.holdfast.http.Json;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What is stored of a session: enough to have it again in another process.
 *
 * @param principal the name of whom it belongs to
 * @param revision of the protocol that was agreed on
 * @param initialize the parameters of the client's request
 * @param level the logging level that the client set, or null
 * @param subscriptions URIs of resources
 */
record SessionRecord(
        String principal,
        String revision,
        JsonNode initialize,
        @Nullable String level,
        List<String> subscriptions) {

    SessionRecord withLevel(String name) {
        return new SessionRecord(principal, revision, initialize, name, subscriptions);
    }

    SessionRecord subscribed(String uri) {
        if (subscriptions.contains(uri)) {
            return this;
        }
        List<String> more = new ArrayList<>(subscriptions);
        more.add(uri);
        return new SessionRecord(principal, revision, initialize, level, List.copyOf(more));
    }

    SessionRecord unsubscribed(String uri) {
        List<String> fewer = subscriptions.stream().filter(u -> !u.equals(uri)).toList();
        return new SessionRecord(principal, revision, initialize, level, fewer);
    }

    byte[] toBytes() {
        ObjectNode node = Json.MAPPER.createObjectNode();
        node.put("principal", principal).put("revision", revision);
        node.set("initialize", initialize);
        if (level != null) {
            node.put("level", level);
        }
        ArrayNode uris = node.putArray("subscriptions");
        subscriptions.forEach(uris::add);
        return Json.MAPPER.writeValueAsBytes(node);
    }

    static SessionRecord parse(byte[] bytes) {
        JsonNode node = Json.MAPPER.readTree(bytes);
        List<String> uris = new ArrayList<>();
        node.path("subscriptions").forEach(uri -> uris.add(uri.asString()));
        return new SessionRecord(
                node.path("principal").asString(),
                node.path("revision").asString(),
                node.path("initialize"),
                node.hasNonNull("level") ? node.path("level").asString() : null,
                List.copyOf(uris));
    }
}
