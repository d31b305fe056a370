package dev.holdfast.http.chat;

import dev.holdfast.http.HttpProblem;
import dev.holdfast.http.Json;
import dev.holdfast.http.api.Fields;
import dev.holdfast.http.api.SubmitFields;
import dev.holdfast.turn.Submit;
import dev.holdfast.uimessage.InvalidUiJson;
import dev.holdfast.uimessage.UiMessage;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a chat client posts. Of the messages only the last one is read: the conversation is the store's. Fields that are not known are the
 * application's own and are passed over.
 *
 * @param chat the session
 * @param last the last message that was sent, if any
 * @param regenerates whether an answer is to be written once more
 * @param messageId the message that is replaced by an edited one, regenerated, or answered
 * @param agent the agent to answer
 * @param policy what happens while the session is busy
 */
record ChatBody(
        String chat,
        Optional<UiMessage> last,
        boolean regenerates,
        Optional<String> messageId,
        Optional<String> agent,
        Submit policy) {

    /**
     * @throws HttpProblem 400 if it is malformed
     */
    static ChatBody read(ObjectNode body) {
        String chat = Fields.text(body, "id")
                .orElseThrow(
                        () -> HttpProblem.badRequest(
                                "The body needs the chat's \"id\". DefaultChatTransport sends it; with prepareSendMessagesRequest, return it in the body."));
        boolean regenerates = switch (Fields.text(body, "trigger").orElse("submit-message")) {
            case "submit-message" -> false;
            case "regenerate-message" -> true;
            default -> throw HttpProblem.badRequest("\"trigger\" is submit-message or regenerate-message.");
        };
        return new ChatBody(
                Fields.addressable("chat id", chat),
                last(body),
                regenerates,
                Fields.text(body, "messageId"),
                Fields.text(body, "agent"),
                SubmitFields.policy(body));
    }

    private static Optional<UiMessage> last(ObjectNode body) {
        Optional<JsonNode> one = Fields.any(body, "message");
        Optional<JsonNode> all = Fields.any(body, "messages");
        if (one.isPresent() && all.isPresent()) {
            throw HttpProblem.badRequest("The body has \"message\" or \"messages\", not both.");
        }
        if (all.isPresent() && !(all.get() instanceof ArrayNode)) {
            throw HttpProblem.badRequest("\"messages\" must be an array.");
        }
        return one.or(() -> all.filter(array -> !array.isEmpty()).map(array -> array.get(array.size() - 1)))
                .map(ChatBody::message);
    }

    private static UiMessage message(JsonNode node) {
        try {
            return UiMessage.parse(Json.MAPPER.writeValueAsBytes(node));
        } catch (InvalidUiJson e) {
            throw HttpProblem.badRequest("The last message is no UIMessage: " + e.getMessage());
        }
    }
}
