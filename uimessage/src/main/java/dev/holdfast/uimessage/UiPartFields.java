package dev.holdfast.uimessage;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Reading fields of a part. */
final class UiPartFields {

    private UiPartFields() {}

    static Optional<String> text(ObjectNode json, String field) {
        @Nullable JsonNode value = json.get(field);
        return value != null && value.isString() ? Optional.of(value.stringValue()) : Optional.empty();
    }

    static boolean isTrue(ObjectNode json, String field) {
        @Nullable JsonNode value = json.get(field);
        return value != null && value.isBoolean() && value.booleanValue();
    }

    static boolean isFalse(ObjectNode json, String field) {
        @Nullable JsonNode value = json.get(field);
        return value != null && value.isBoolean() && !value.booleanValue();
    }
}
