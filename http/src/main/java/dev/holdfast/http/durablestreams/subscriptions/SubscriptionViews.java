package dev.holdfast.http.durablestreams.subscriptions;

import dev.holdfast.http.Json;
import dev.holdfast.http.durablestreams.StreamOffset;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The JSON that others see: answers, and the bodies of webhooks. */
final class SubscriptionViews {

    static final String CONTROL = "/__ds";
    static final String SUBSCRIPTIONS = CONTROL + "/subscriptions/";
    static final String JWKS = CONTROL + "/jwks.json";

    private final Keys keys;

    SubscriptionViews(Keys keys) {
        this.keys = keys;
    }

    /** A subscription with all its links. */
    ObjectNode subscription(Subscription subscription) {
        Definition definition = subscription.definition();
        WakeState state = subscription.state();
        ObjectNode node = Json.MAPPER.createObjectNode();
        node.put("id", definition.id());
        node.put("subscription_id", definition.id());
        node.put("type", definition.type().wire());
        node.put(
                "pattern",
                definition.pattern() == null ? null : definition.pattern().text());
        ArrayNode streams = node.putArray("streams");
        subscription.links().all().forEach(link -> streams.add(link(link)));
        URI webhook = definition.webhook();
        if (webhook == null) {
            node.putNull("webhook");
        } else {
            node.putObject("webhook")
                    .put("url", webhook.toString())
                    .putObject("signing")
                    .put("alg", "ed25519")
                    .put("kid", keys.signing().current().id())
                    .put("jwks_url", subscription.base() + JWKS);
        }
        node.put("wake_stream", definition.wakeStream());
        node.put("lease_ttl_ms", definition.lease().toMillis());
        node.put("created_at", Instant.ofEpochMilli(definition.createdAt()).toString());
        node.put("status", state.failures() > 0 ? "failed" : "active");
        node.put("description", definition.description());
        node.put("generation", state.generation());
        if (state.leased()) {
            node.put("lease_until", Instant.ofEpochMilli(state.leaseUntil()).toString());
        }
        if (state.failures() > 0) {
            node.put("failures", state.failures());
            node.put("next_attempt_at", Instant.ofEpochMilli(state.attemptAt()).toString());
        }
        return node;
    }

    /** The body of a webhook. */
    ObjectNode wake(Subscription subscription, WakeState wake, List<Link.Standing> told) {
        ObjectNode node = Json.MAPPER.createObjectNode();
        node.put("subscription_id", subscription.id());
        node.put("wake_id", wake.wakeId());
        node.put("generation", wake.generation());
        standings(node, told);
        node.put("callback_url", subscription.base() + SUBSCRIPTIONS + encoded(subscription.id()) + "/callback");
        node.put(
                "callback_token", keys.tokens().issue(subscription.definition(), wake.generation(), wake.beginnings()));
        return node;
    }

    /** The answer to a claim. */
    ObjectNode claim(Subscription subscription, WakeState wake, List<Link.Standing> told) {
        ObjectNode node = Json.MAPPER.createObjectNode();
        node.put("wake_id", wake.wakeId());
        node.put("generation", wake.generation());
        node.put("token", keys.tokens().issue(subscription.definition(), wake.generation(), wake.beginnings()));
        standings(node, told);
        node.put("lease_ttl_ms", subscription.definition().lease().toMillis());
        return node;
    }

    static ObjectNode error(SubscriptionProblem problem) {
        ObjectNode node = Json.MAPPER.createObjectNode();
        ObjectNode error = node.putObject("error");
        error.put("code", problem.code().name());
        error.put("message", problem.text());
        problem.members().forEach((name, value) -> error.set(name, Json.MAPPER.valueToTree(value)));
        return node;
    }

    private static void standings(ObjectNode node, List<Link.Standing> told) {
        ArrayNode streams = node.putArray("streams");
        for (Link.Standing standing : told) {
            streams.add(link(standing)
                    .put("tail_offset", StreamOffset.of(standing.tail()))
                    .put("has_pending", standing.pending()));
        }
    }

    private static ObjectNode link(Link.Standing link) {
        return Json.MAPPER
                .createObjectNode()
                .put("path", link.stream())
                .put("link_type", link.explicit() ? "explicit" : "glob")
                .put("acked_offset", StreamOffset.of(link.acked()));
    }

    private static String encoded(String id) {
        return URLEncoder.encode(id, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
