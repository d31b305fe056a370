package dev.holdfast.http.durablestreams.subscriptions;

import dev.holdfast.http.Json;
import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The persisted forms, as JSON. A field that is absent is null or 0. */
final class SubscriptionCodec {

    private SubscriptionCodec() {}

    static byte[] bytes(Definition definition, String base) {
        ObjectNode node = Json.MAPPER.createObjectNode();
        node.put("id", definition.id());
        node.put("key", definition.key());
        node.put("hash", definition.hash());
        node.put("type", definition.type().name());
        if (definition.pattern() != null) {
            node.put("pattern", definition.pattern().text());
        }
        if (definition.webhook() != null) {
            node.put("webhook", definition.webhook().toString());
        }
        put(node, "wakeStream", definition.wakeStream());
        node.put("leaseMillis", definition.lease().toMillis());
        put(node, "description", definition.description());
        node.put("createdAt", definition.createdAt());
        node.put("base", base);
        return Json.MAPPER.writeValueAsBytes(node);
    }

    static Definition definition(JsonNode node) {
        String pattern = text(node, "pattern");
        String webhook = text(node, "webhook");
        return new Definition(
                required(node, "id"),
                required(node, "key"),
                required(node, "hash"),
                Definition.Type.valueOf(required(node, "type")),
                pattern == null ? null : Glob.parse(pattern),
                webhook == null ? null : URI.create(webhook),
                text(node, "wakeStream"),
                Duration.ofMillis(number(node, "leaseMillis")),
                text(node, "description"),
                number(node, "createdAt"));
    }

    static String base(JsonNode node) {
        return required(node, "base");
    }

    static byte[] bytes(WakeState state) {
        ObjectNode node = Json.MAPPER.createObjectNode();
        node.put("generation", state.generation());
        put(node, "wakeId", state.wakeId());
        put(node, "holder", state.holder());
        put(node, "leaseUntil", state.leaseUntil());
        put(node, "failures", state.failures());
        put(node, "attemptAt", state.attemptAt());
        put(node, "beginnings", state.beginnings());
        return Json.MAPPER.writeValueAsBytes(node);
    }

    static WakeState state(JsonNode node) {
        return new WakeState(
                number(node, "generation"),
                text(node, "wakeId"),
                text(node, "holder"),
                number(node, "leaseUntil"),
                (int) number(node, "failures"),
                number(node, "attemptAt"),
                number(node, "beginnings"));
    }

    static byte[] bytes(Link.Saved link) {
        ObjectNode node = Json.MAPPER.createObjectNode();
        node.put("stream", link.stream());
        node.put("byPattern", link.byPattern());
        node.put("explicit", link.explicit());
        put(node, "incarnation", link.incarnation());
        put(node, "began", link.began());
        put(node, "acked", link.acked());
        return Json.MAPPER.writeValueAsBytes(node);
    }

    static Link.Saved link(JsonNode node) {
        return new Link.Saved(
                required(node, "stream"),
                node.path("byPattern").asBoolean(false),
                node.path("explicit").asBoolean(false),
                number(node, "incarnation"),
                number(node, "began"),
                number(node, "acked"));
    }

    private static void put(ObjectNode node, String name, @Nullable String value) {
        if (value != null) {
            node.put(name, value);
        }
    }

    private static void put(ObjectNode node, String name, long value) {
        if (value != 0) {
            node.put(name, value);
        }
    }

    private static String required(JsonNode node, String name) {
        String value = text(node, name);
        if (value == null) {
            throw new IllegalStateException("A stored subscription lacks \"" + name + "\"");
        }
        return value;
    }

    private static @Nullable String text(JsonNode node, String name) {
        JsonNode value = node.get(name);
        return value == null || value.isNull() ? null : value.stringValue();
    }

    private static long number(JsonNode node, String name) {
        JsonNode value = node.get(name);
        return value == null ? 0 : value.longValue();
    }
}
