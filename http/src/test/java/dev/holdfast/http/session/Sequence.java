package dev.holdfast.http.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/** Holds what a client has of a session against the rules of its sequence: everything once and in order, whatever broke its connections (EVERY-CURSOR). */
final class Sequence {

    private final Map<String, Long> nextChunk = new HashMap<>();
    private final Map<String, String> texts = new HashMap<>();
    private final Map<String, String> written = new HashMap<>();
    private final Set<String> messages = new LinkedHashSet<>();
    private long nextEvent = -1;

    private Sequence() {}

    /**
     * Checks a client that has all of a session.
     *
     * @param feedEvents how many events the session ever had
     * @return the ids of the messages it was told of
     */
    static Set<String> check(Applied applied, long feedEvents) {
        Sequence sequence = new Sequence();
        applied.events().forEach(sequence::event);
        assertThat(sequence.nextEvent).isEqualTo(feedEvents);
        return sequence.messages;
    }

    private void event(JsonNode event) {
        if (event.has("at")) {
            long seq = event.get("seq").longValue();
            assertThat(seq).isEqualTo(nextEvent < 0 ? seq : nextEvent);
            nextEvent = seq + 1;
        }
        String turn = event.has("turn") && !event.get("turn").isNull()
                ? event.get("turn").stringValue()
                : "";
        String kind = event.get("kind").stringValue();
        switch (kind) {
            case "stream-opened" -> {
                nextChunk.put(turn, 0L);
                texts.put(turn, written.getOrDefault(turn, ""));
            }
            case "chunk" -> {
                assertThat(nextChunk.get(turn))
                        .as("a chunk of an open stream")
                        .isEqualTo(event.get("seq").longValue());
                nextChunk.merge(turn, 1L, Long::sum);
                if (event.get("data").has("delta")) {
                    texts.merge(turn, event.get("data").get("delta").stringValue(), String::concat);
                }
            }
            case "message-added", "message-updated" -> {
                if (event.get("messageId").stringValue().startsWith("msg")) {
                    nextChunk.remove(turn); // no chunk behind its message
                    String text = text(event.get("message")); // as it is when it is told, so it may be newer
                    assertThat(text).startsWith(texts.getOrDefault(turn, ""));
                    written.put(turn, text);
                }
            }
            default -> {}
        }
        if (kind.startsWith("message-")) {
            messages.add(event.get("messageId").stringValue());
        }
    }

    private static String text(JsonNode message) {
        StringBuilder text = new StringBuilder();
        for (JsonNode part : message.get("content").get("parts")) {
            if (part.has("text")) {
                text.append(part.get("text").stringValue());
            }
        }
        return text.toString();
    }
}
