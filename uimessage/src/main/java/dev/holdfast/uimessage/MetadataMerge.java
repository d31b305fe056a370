package dev.holdfast.uimessage;

import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The metadata of a message in the making: objects are merged deeply, all else is replaced, as in {@code mergeObjects} of the AI SDK. */
final class MetadataMerge {

    /** Where Holdfast says how the message ended. The rest of the metadata is the agent's and the application's. */
    private static final String OWN = "holdfast";

    private static final Set<String> REFUSED = Set.of("__proto__", "constructor", "prototype");

    private @Nullable JsonNode value;

    MetadataMerge(@Nullable JsonNode value) {
        this.value = value;
    }

    @Nullable
    JsonNode value() {
        return value;
    }

    void merge(@Nullable JsonNode update) {
        if (update == null || update.isNull()) {
            return;
        }
        if (value instanceof ObjectNode base && update instanceof ObjectNode overrides) {
            value = merged(base, overrides);
        } else {
            value = update;
        }
    }

    /** Says how the message ended. Metadata that is not an object has no room for it and stays as it is. */
    void end(String status, @Nullable String reason, boolean incomplete) {
        if (value != null && !(value instanceof ObjectNode)) {
            return;
        }
        ObjectNode all = value instanceof ObjectNode object ? object.deepCopy() : UiJson.object();
        ObjectNode own = all.get(OWN) instanceof ObjectNode object ? object : UiJson.object();
        own.put("status", status);
        own.remove("reason");
        if (reason != null) {
            own.put("reason", reason);
        }
        own.remove("incomplete");
        if (incomplete) {
            own.put("incomplete", true);
        }
        all.set(OWN, own);
        value = all;
    }

    private static ObjectNode merged(ObjectNode base, ObjectNode overrides) {
        ObjectNode result = UiJson.object();
        base.properties().forEach(field -> result.set(field.getKey(), field.getValue()));
        for (Map.Entry<String, JsonNode> field : overrides.properties()) {
            if (REFUSED.contains(field.getKey())) {
                continue;
            }
            JsonNode earlier = result.get(field.getKey());
            result.set(
                    field.getKey(),
                    earlier instanceof ObjectNode a && field.getValue() instanceof ObjectNode b
                            ? merged(a, b)
                            : field.getValue());
        }
        return result;
    }
}
