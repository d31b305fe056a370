package dev.holdfast.http.chat;

import dev.holdfast.error.HoldfastException.MessageNotFound;
import dev.holdfast.http.Json;
import dev.holdfast.session.Message;
import dev.holdfast.session.RecentHistory;
import dev.holdfast.session.Session;
import dev.holdfast.turn.TurnState;
import dev.holdfast.turn.TurnStatus;
import dev.holdfast.turn.Turns;
import dev.holdfast.uimessage.UiMessage;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A chat as a page loads it: the messages of the branch that is shown, and whether there is something to resume. While a turn runs, the branch
 * ends at the message that it answers, or at its own as far as it is written: the answer that it replaces is not shown beneath the new one.
 */
final class LoadedChat {

    /** Contents of the messages, or a single larger message. */
    static final long MAX_BYTES = 8L << 20;

    private LoadedChat() {}

    static ObjectNode of(String chat, Optional<Session> session, Turns turns) {
        ObjectNode body = Json.MAPPER.createObjectNode();
        body.put("id", chat);
        ArrayNode messages = body.putArray("messages");
        List<TurnStatus> live = session.map(found -> turns.live(found.id())).orElse(List.of());
        Optional<TurnStatus> running =
                live.stream().filter(turn -> turn.state() != TurnState.ACCEPTED).findFirst();
        if (session.isPresent()) {
            RecentHistory history = history(session.get(), running);
            history.messages().forEach(message -> messages.add(node(message)));
            body.put("truncated", history.truncated());
        } else {
            body.put("truncated", false);
        }
        body.put(
                "live",
                live.stream().anyMatch(turn -> turn.state() == TurnState.STREAMING)
                        || (running.isEmpty() && !live.isEmpty()));
        Optional<TurnStatus> shown = running.or(() -> live.stream().findFirst())
                .or(() -> session.flatMap(
                        found -> turns.latest(found.id(), 1).stream().findFirst()));
        body.set("turn", shown.map(LoadedChat::node).orElse(null));
        ArrayNode queue = body.putArray("queue");
        live.stream()
                .filter(turn -> turn.state() == TurnState.ACCEPTED)
                .forEach(turn -> queue.addObject()
                        .put("turnId", turn.id())
                        .set(
                                "message",
                                Optional.ofNullable(turn.userMessageId())
                                        .flatMap(id -> session.orElseThrow().message(id))
                                        .map(LoadedChat::node)
                                        .orElse(null)));
        return body;
    }

    private static RecentHistory history(Session session, Optional<TurnStatus> running) {
        if (running.isEmpty()) {
            return session.recent(MAX_BYTES);
        }
        TurnStatus turn = running.get();
        String written = turn.messageId();
        String asked = turn.userMessageId();
        try {
            if (session.message(written).isPresent()) {
                return session.recent(written, MAX_BYTES);
            }
            return asked == null ? new RecentHistory(List.of(), false, 0) : session.recent(asked, MAX_BYTES);
        } catch (MessageNotFound e) {
            return session.recent(MAX_BYTES); // it was deleted meanwhile
        }
    }

    private static ObjectNode node(TurnStatus turn) {
        ObjectNode node = Json.MAPPER.createObjectNode();
        node.put("id", turn.id());
        node.put("state", turn.state().name().toLowerCase(Locale.ROOT));
        node.put("messageId", turn.messageId());
        node.put("userMessageId", turn.userMessageId());
        node.put("error", turn.error());
        return node;
    }

    /** What is no message of the AI SDK is shown as text. */
    private static ObjectNode node(Message message) {
        return StoredMessage.read(message).map(UiMessage::toNode).orElseGet(() -> {
            ObjectNode text = Json.MAPPER.createObjectNode().put("type", "text").put("text", message.text());
            ObjectNode node =
                    Json.MAPPER.createObjectNode().put("id", message.id()).put("role", message.role());
            node.putArray("parts").add(text);
            return node;
        });
    }
}
