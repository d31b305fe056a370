package dev.holdfast.http.durablestreams.subscriptions;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a worker tells of its wake.
 *
 * @param wakeId the wake it works for, or null if it named none
 * @param generation the wake's, or -1 if it named none
 * @param acks for each stream the offset up to which it is done, as the client wrote it
 * @param done whether the wake is over
 */
record ProgressRequest(@Nullable String wakeId, long generation, Map<String, String> acks, boolean done) {

    private static final int MAX_ID_CHARS = 256;

    /**
     * @throws SubscriptionProblem if it makes no sense
     */
    static ProgressRequest of(ObjectNode body) {
        return new ProgressRequest(
                Fields.text(body, "wake_id", MAX_ID_CHARS), generation(body), acks(body), Fields.flag(body, "done"));
    }

    private static long generation(ObjectNode body) {
        JsonNode node = body.get("generation");
        if (node == null || node.isNull()) {
            return -1;
        }
        if (!node.isIntegralNumber() || !node.canConvertToLong()) {
            throw SubscriptionProblem.invalid("\"generation\" must be an integer.");
        }
        return node.longValue();
    }

    private static Map<String, String> acks(ObjectNode body) {
        JsonNode node = body.get("acks");
        if (node == null || node.isNull()) {
            return Map.of();
        }
        if (!node.isArray() || node.size() > SubscriptionLimits.MAX_ACKS_PER_REQUEST) {
            throw SubscriptionProblem.invalid("\"acks\" must be an array of at most %d acknowledgements."
                    .formatted(SubscriptionLimits.MAX_ACKS_PER_REQUEST));
        }
        Map<String, String> acks = new LinkedHashMap<>();
        for (JsonNode each : node) {
            if (!(each instanceof ObjectNode ack)) {
                throw SubscriptionProblem.invalid("An acknowledgement is {\"stream\": ..., \"offset\": ...}.");
            }
            String stream = Fields.text(ack, "stream", SubscriptionLimits.MAX_REQUEST_BYTES);
            String path = stream == null ? Fields.text(ack, "path", SubscriptionLimits.MAX_REQUEST_BYTES) : stream;
            String offset = Fields.text(ack, "offset", MAX_ID_CHARS);
            if (path == null || offset == null) {
                throw SubscriptionProblem.invalid("An acknowledgement is {\"stream\": ..., \"offset\": ...}.");
            }
            if (acks.put(StreamPath.trimmed(path), offset) != null) {
                throw SubscriptionProblem.invalid("The stream \"%s\" is acknowledged twice.".formatted(path));
            }
        }
        return acks;
    }
}
