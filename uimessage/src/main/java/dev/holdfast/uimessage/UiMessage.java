package dev.holdfast.uimessage;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A message as the AI SDK's {@code UIMessage} persists it.
 *
 * @param id its id
 * @param role {@code system}, {@code user} or {@code assistant}
 * @param metadata the application's, or null; JSON null counts as none
 * @param parts in order
 * @param extra fields that {@code UIMessage} does not define, kept and written again
 */
public record UiMessage(
        String id, String role, @Nullable JsonNode metadata, List<UiPart> parts, Map<String, JsonNode> extra) {

    public UiMessage {
        parts = List.copyOf(parts);
    }

    public UiMessage(String id, String role, List<UiPart> parts) {
        this(id, role, null, parts, Map.of());
    }

    /** A message of the user with one part of text. */
    public static UiMessage ofUser(String id, String text) {
        ObjectNode part = UiJson.object();
        part.put("type", "text");
        part.put("text", text);
        return new UiMessage(id, "user", List.of(UiPart.of(part)));
    }

    /**
     * Reads a message from JSON in UTF-8.
     *
     * @throws InvalidUiJson if the bytes are not one, or exceed a limit of {@link UiLimits}
     */
    public static UiMessage parse(byte[] json) {
        ObjectNode node = UiJson.readMessage(json);
        Map<String, JsonNode> extra = new LinkedHashMap<>();
        node.properties().forEach(field -> extra.put(field.getKey(), field.getValue()));
        String id = text(extra.remove("id"), "id");
        String role = text(extra.remove("role"), "role");
        JsonNode metadata = extra.remove("metadata");
        return new UiMessage(
                id,
                role,
                metadata == null || metadata.isNull() ? null : metadata,
                parts(extra.remove("parts")),
                Collections.unmodifiableMap(extra));
    }

    /** The text of all text parts, one after the other. */
    public String text() {
        StringBuilder text = new StringBuilder();
        for (UiPart part : parts) {
            if (part instanceof UiPart.Text t) {
                text.append(t.text());
            }
        }
        return text.toString();
    }

    public ObjectNode toNode() {
        ObjectNode node = UiJson.object();
        node.put("id", id);
        node.put("role", role);
        if (metadata != null) {
            node.set("metadata", metadata);
        }
        ArrayNode array = node.putArray("parts");
        parts.forEach(part -> array.add(part.json()));
        extra.forEach(node::set);
        return node;
    }

    public byte[] toBytes() {
        return UiJson.write(toNode());
    }

    private static List<UiPart> parts(@Nullable JsonNode node) {
        if (!(node instanceof ArrayNode array)) {
            throw new InvalidUiJson("A message needs the field \"parts\" with an array.");
        }
        List<UiPart> parts = new ArrayList<>(array.size());
        for (JsonNode part : array) {
            if (!(part instanceof ObjectNode object)) {
                throw new InvalidUiJson("Each part of a message must be an object.");
            }
            parts.add(UiPart.of(object));
        }
        return parts;
    }

    private static String text(@Nullable JsonNode value, String field) {
        if (value == null || !value.isString()) {
            throw new InvalidUiJson("A message needs the field \"%s\" with text.".formatted(field));
        }
        return value.stringValue();
    }
}
