package dev.holdfast.mcp;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** JSON as the maps, lists, strings and numbers that the SDK hands to features and tools. */
public final class PlainJson {

    private PlainJson() {}

    /** Whole numbers become {@code Integer}, {@code Long} or {@code BigInteger}, all others {@code Double}, as the SDK's own transports have it. */
    public static @Nullable Object of(JsonNode node) {
        return switch (node.getNodeType()) {
            case OBJECT -> map(node);
            case ARRAY -> {
                List<@Nullable Object> list = new ArrayList<>(node.size());
                node.forEach(element -> list.add(of(element)));
                yield list;
            }
            case STRING -> node.stringValue();
            case BOOLEAN -> node.booleanValue();
            case NUMBER -> number(node);
            default -> null;
        };
    }

    /** The members of an object; none for anything else. */
    public static Map<String, @Nullable Object> map(JsonNode node) {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        node.properties().forEach(member -> map.put(member.getKey(), of(member.getValue())));
        return map;
    }

    private static Number number(JsonNode node) {
        if (!node.isIntegralNumber()) {
            return node.doubleValue();
        }
        if (node.canConvertToInt()) {
            return node.intValue();
        }
        return node.canConvertToLong() ? (Number) node.longValue() : node.bigIntegerValue();
    }
}
