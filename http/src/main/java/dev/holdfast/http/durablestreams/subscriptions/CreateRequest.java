package dev.holdfast.http.durablestreams.subscriptions;

import dev.holdfast.http.Json;
import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a client asks for with {@code PUT}, checked and normalised. The URL of a webhook is only text here: whether it may be used is asked when
 * the subscription is made, not when one that is there is confirmed.
 *
 * @param streams asked for by name, sorted, each once
 */
record CreateRequest(
        Definition.Type type,
        @Nullable Glob pattern,
        List<String> streams,
        @Nullable String webhook,
        @Nullable String wakeStream,
        Duration lease,
        @Nullable String description) {

    /**
     * @throws SubscriptionProblem if it makes no sense
     */
    static CreateRequest of(ObjectNode body) {
        Definition.Type type = type(body);
        String pattern = Fields.text(body, "pattern", SubscriptionLimits.MAX_PATTERN_CHARS);
        List<String> streams = body.has("streams") ? streams(body) : List.of();
        if (pattern == null && streams.isEmpty()) {
            throw SubscriptionProblem.invalid("Give a pattern, or streams, or both.");
        }
        String wakeStream = type == Definition.Type.PULL_WAKE ? wakeStream(body) : null;
        refuseOwnWakeStream(wakeStream, streams);
        return new CreateRequest(
                type,
                pattern == null ? null : Glob.parse(pattern),
                streams,
                type == Definition.Type.WEBHOOK ? webhook(body) : null,
                wakeStream,
                lease(body),
                Fields.text(body, "description", SubscriptionLimits.MAX_DESCRIPTION_CHARS));
    }

    /**
     * The streams named in a body.
     *
     * @throws SubscriptionProblem if they are too many, or one could not be a stream
     */
    static List<String> streams(ObjectNode body) {
        JsonNode node = body.get("streams");
        if (node == null || !node.isArray()) {
            throw SubscriptionProblem.invalid("\"streams\" must be an array of stream paths.");
        }
        if (node.size() > SubscriptionLimits.MAX_STREAMS_PER_REQUEST) {
            throw SubscriptionProblem.invalid("One request names at most %d streams; this names %d. Send several."
                    .formatted(SubscriptionLimits.MAX_STREAMS_PER_REQUEST, node.size()));
        }
        TreeSet<String> streams = new TreeSet<>();
        for (JsonNode each : node) {
            if (!each.isString()) {
                throw SubscriptionProblem.invalid("\"streams\" must contain only strings.");
            }
            streams.add(StreamPath.checked("stream", each.stringValue()));
        }
        return List.copyOf(streams);
    }

    /** Refuses that a subscription follows the stream to which it writes its wakes. */
    static void refuseOwnWakeStream(@Nullable String wakeStream, List<String> streams) {
        if (wakeStream != null && streams.contains(wakeStream)) {
            throw SubscriptionProblem.invalid(
                    "A subscription cannot follow its own wake stream: each wake would wake it again.");
        }
    }

    private static Definition.Type type(ObjectNode body) {
        String type = Fields.text(body, "type", SubscriptionLimits.MAX_PATTERN_CHARS);
        return Arrays.stream(Definition.Type.values())
                .filter(each -> each.wire().equals(type))
                .findFirst()
                .orElseThrow(() -> SubscriptionProblem.invalid("\"type\" must be \"webhook\" or \"pull-wake\"."));
    }

    private static String webhook(ObjectNode body) {
        String url = body.get("webhook") instanceof ObjectNode webhook
                ? Fields.text(webhook, "url", SubscriptionLimits.MAX_REQUEST_BYTES)
                : null;
        if (url == null) {
            throw SubscriptionProblem.invalid("A webhook subscription needs \"webhook\": {\"url\": ...}.");
        }
        return url;
    }

    private static String wakeStream(ObjectNode body) {
        String stream = Fields.text(body, "wake_stream", SubscriptionLimits.MAX_REQUEST_BYTES);
        if (stream == null) {
            throw SubscriptionProblem.invalid("A pull-wake subscription needs \"wake_stream\".");
        }
        return StreamPath.checked("wake_stream", stream);
    }

    private static Duration lease(ObjectNode body) {
        JsonNode node = body.get("lease_ttl_ms");
        if (node == null || node.isNull()) {
            return SubscriptionLimits.DEFAULT_LEASE;
        }
        long min = SubscriptionLimits.MIN_LEASE.toMillis();
        long max = SubscriptionLimits.MAX_LEASE.toMillis();
        if (!node.isIntegralNumber() || !node.canConvertToLong() || node.longValue() < min || node.longValue() > max) {
            throw SubscriptionProblem.invalid("\"lease_ttl_ms\" must be an integer from %d to %d.".formatted(min, max));
        }
        return Duration.ofMillis(node.longValue());
    }

    /** Equal for equal configurations, and for no others. */
    String hash() {
        ObjectNode node = Json.MAPPER.createObjectNode();
        node.put("type", type.wire());
        node.put("pattern", pattern == null ? null : pattern.text());
        streams.forEach(node.putArray("streams")::add);
        node.put("webhook", webhook);
        node.put("wake_stream", wakeStream);
        node.put("lease_ttl_ms", lease.toMillis());
        node.put("description", description);
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(SubscriptionTable.sha256().digest(Json.MAPPER.writeValueAsBytes(node)));
    }

    /** The subscription as it will be known. */
    Definition definition(String id, String key, @Nullable URI target, long now) {
        return new Definition(id, key, hash(), type, pattern, target, wakeStream, lease, description, now);
    }
}
