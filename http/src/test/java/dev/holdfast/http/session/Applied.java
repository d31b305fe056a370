package dev.holdfast.http.session;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** What a client has of one session, by the rules for clients: frames are applied whole, and only where they continue it. */
final class Applied {

    private final String session;
    private @Nullable String cursor;
    private final List<JsonNode> events = new ArrayList<>();
    private int snapshots;

    Applied(String session) {
        this.session = session;
    }

    /** Takes any message of a connection. */
    void frame(JsonNode message) {
        if (!message.has("session") || !message.get("session").stringValue().equals(session)) {
            return;
        }
        switch (Line.type(message)) {
            case "attached" -> {
                cursor = message.get("cursor").stringValue();
                if (message.get("answer").stringValue().equals("snapshot")) {
                    snapshots++;
                    events.clear();
                }
            }
            case "events" -> {
                if (!message.get("from").stringValue().equals(cursor)) {
                    throw new AssertionError("A frame continues %s and not %s".formatted(message.get("from"), cursor));
                }
                message.get("events").forEach(events::add);
                cursor = message.get("cursor").stringValue();
            }
            default -> {}
        }
    }

    @Nullable
    String cursorOrNull() {
        return cursor;
    }

    String cursor() {
        if (cursor == null) {
            throw new AssertionError("Nothing was attached");
        }
        return cursor;
    }

    List<JsonNode> events() {
        return events;
    }

    int snapshots() {
        return snapshots;
    }

    List<String> kinds() {
        return events.stream().map(event -> event.get("kind").stringValue()).toList();
    }

    Optional<JsonNode> last(String kind) {
        return events.reversed().stream()
                .filter(event -> event.get("kind").stringValue().equals(kind))
                .findFirst();
    }

    /** The text of a turn as its chunks have it, since its stream was opened last. */
    String text(String turn) {
        StringBuilder text = new StringBuilder();
        for (JsonNode event : events) {
            boolean mine = event.has("turn") && turn.equals(event.get("turn").asString());
            if (mine && event.get("kind").stringValue().equals("stream-opened")) {
                text.setLength(0);
            }
            if (mine && event.has("data") && event.get("data").has("delta")) {
                text.append(event.get("data").get("delta").stringValue());
            }
        }
        return text.toString();
    }
}
