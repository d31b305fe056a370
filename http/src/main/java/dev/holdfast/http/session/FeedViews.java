package dev.holdfast.http.session;

import dev.holdfast.http.Json;
import dev.holdfast.http.api.JsonViews;
import dev.holdfast.session.FeedEvent;
import dev.holdfast.session.Message;
import dev.holdfast.session.Session;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** What the transport tells of a feed's events. */
final class FeedViews {

    private FeedViews() {}

    /**
     * The event as it is told.
     *
     * @param messages the messages that it may tell of
     */
    static ObjectNode event(Session session, FeedEvent event, Map<String, Message> messages) {
        return switch (event.kind()) {
            case MESSAGE_ADDED, MESSAGE_UPDATED -> message(event, messages);
            case MESSAGE_DELETED -> of(event).put("messageId", event.message());
            case MESSAGES_CLEARED -> of(event);
            case TURN_STARTED -> turn(event).put("messageId", event.message()).put("streaming", event.detail() != null);
            // the stream itself is told of when it is followed
            case STREAM_OPENED ->
                turn(event)
                        .put("kind", "turn-started")
                        .put("messageId", event.message())
                        .put("streaming", true);
            case TURN_AWAITING -> awaiting(event, messages);
            case TURN_STOPPING, TURN_RECOVERING -> turn(event).put("reason", event.detail());
            case TURN_ENDED -> ended(event);
            case PROPERTY_CHANGED -> property(session, event);
        };
    }

    private static ObjectNode of(FeedEvent event) {
        return Json.MAPPER
                .createObjectNode()
                .put("kind", event.kind().name().toLowerCase(Locale.ROOT).replace('_', '-'))
                .put("seq", event.seq())
                .put("at", event.at().toString());
    }

    private static ObjectNode turn(FeedEvent event) {
        return of(event).put("turn", event.turn());
    }

    private static ObjectNode message(FeedEvent event, Map<String, Message> messages) {
        ObjectNode node = turn(event).put("messageId", event.message());
        Message message = messages.get(String.valueOf(event.message()));
        node.set("message", message == null ? null : JsonViews.message(message));
        if ("moved".equals(event.detail())) {
            node.put("moved", true);
        }
        return node;
    }

    private static ObjectNode awaiting(FeedEvent event, Map<String, Message> messages) {
        ObjectNode node = turn(event)
                .put("messageId", event.message())
                .put("reason", Outcome.of(event.detail()).reason());
        node.set("pending", Frames.pending(Optional.ofNullable(messages.get(String.valueOf(event.message())))));
        return node;
    }

    private static ObjectNode ended(FeedEvent event) {
        Outcome outcome = Outcome.of(event.detail());
        return turn(event)
                .put("messageId", event.message())
                .put("outcome", outcome.name())
                .put("reason", outcome.reason());
    }

    private static ObjectNode property(Session session, FeedEvent event) {
        String name = String.valueOf(event.detail());
        return switch (name) {
            case SessionMarks.MODE ->
                of(event)
                        .put("kind", "mode-changed")
                        .put("mode", SessionMarks.mode(session).orElse(null));
            case SessionMarks.CLOSED -> {
                Optional<String> closed = SessionMarks.closed(session);
                yield closed.isPresent()
                        ? of(event)
                                .put("kind", "session-closed")
                                .put("reason", closed.get().isEmpty() ? null : closed.get())
                        : of(event).put("kind", "session-reopened");
            }
            default -> of(event).put("name", name);
        };
    }

    /** A turn's state as its feed event has it: a name, and a reason behind a colon. */
    private record Outcome(String name, @Nullable String reason) {
        static Outcome of(@Nullable String detail) {
            String text = String.valueOf(detail);
            int colon = text.indexOf(':');
            String name = (colon < 0 ? text : text.substring(0, colon)).toLowerCase(Locale.ROOT);
            return new Outcome(
                    name, colon < 0 ? null : text.substring(colon + 1).strip());
        }
    }
}
