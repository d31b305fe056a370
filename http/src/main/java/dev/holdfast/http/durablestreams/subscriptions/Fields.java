package dev.holdfast.http.durablestreams.subscriptions;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Reads the fields of a body. An absent field, null and the empty string are the same. */
final class Fields {

    private Fields() {}

    /**
     * @throws SubscriptionProblem if it is there but no string, or too long
     */
    static @Nullable String text(ObjectNode body, String name, int maxChars) {
        JsonNode node = body.get(name);
        if (node == null || node.isNull()) {
            return null;
        }
        if (!node.isString()) {
            throw SubscriptionProblem.invalid("\"%s\" must be a string.".formatted(name));
        }
        String text = node.stringValue();
        if (text.length() > maxChars) {
            throw SubscriptionProblem.invalid(
                    "\"%s\" has %d characters; at most %d are allowed.".formatted(name, text.length(), maxChars));
        }
        return text.isEmpty() ? null : text;
    }

    /**
     * Whether it is true; absent is false.
     *
     * @throws SubscriptionProblem if it is there but neither true nor false
     */
    static boolean flag(ObjectNode body, String name) {
        JsonNode node = body.get(name);
        if (node == null || node.isNull()) {
            return false;
        }
        if (!node.isBoolean()) {
            throw SubscriptionProblem.invalid("\"%s\" must be true or false.".formatted(name));
        }
        return node.booleanValue();
    }
}
