package dev.holdfast.http.api;

import dev.holdfast.http.HttpProblem;
import dev.holdfast.http.Json;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.turn.TurnRequest;
import dev.holdfast.uimessage.InvalidUiJson;
import dev.holdfast.uimessage.UiMessage;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads the body that starts a turn. The message's JSON is written anew, without insignificant space, so that a repeat with the same key is
 * recognised whatever its layout.
 */
public final class TurnBody {

    private static final Set<String> FIELDS =
            Set.of("id", "agent", "message", "regenerate", "input", "messageId", "policy", "debounceMillis");
    private static final Set<String> MESSAGE_FIELDS = Set.of("id", "role", "content", "text", "parentId", "besideId");

    private TurnBody() {}

    /**
     * @param key the turn's id where it comes from beside the body
     * @param defaultAgent the agent of a turn that names none
     * @throws HttpProblem 400 if it is malformed
     */
    public static TurnRequest read(ObjectNode body, Optional<String> key, String defaultAgent) {
        Fields.only(body, FIELDS);
        String id = id(body, key);
        String agent = Fields.text(body, "agent").orElse(defaultAgent);
        TurnRequest request = request(body, id, agent).when(SubmitFields.policy(body));
        Optional<JsonNode> input = Fields.any(body, "input");
        if (input.isPresent()) {
            request = request.withInput(Json.MAPPER.writeValueAsBytes(input.get()));
        }
        Optional<String> messageId =
                Fields.text(body, "messageId").map(given -> Fields.addressable("message id", given));
        return messageId.isPresent() ? request.writing(messageId.get()) : request;
    }

    private static String id(ObjectNode body, Optional<String> key) {
        String id = Fields.text(body, "id")
                .or(() -> key)
                .orElseThrow(
                        () -> HttpProblem.badRequest(
                                "A turn needs an \"id\", chosen by you: sending the same again attaches to the turn instead of starting another."));
        key.filter(other -> !other.equals(id)).ifPresent(other -> {
            throw HttpProblem.badRequest(
                    "The header Idempotency-Key and the body's \"id\" differ. Both name the turn: send one of them, or the same in both.");
        });
        return Fields.addressable("turn id", id);
    }

    private static TurnRequest request(ObjectNode body, String id, String agent) {
        Optional<JsonNode> message = Fields.any(body, "message");
        Optional<String> again = Fields.text(body, "regenerate");
        if (message.isPresent() && again.isPresent()) {
            throw HttpProblem.badRequest(
                    "A turn has a \"message\" to answer or a message to \"regenerate\", not both.");
        }
        if (again.isPresent()) {
            return TurnRequest.regenerate(id, agent, again.get());
        }
        return message.isPresent() ? TurnRequest.answer(id, agent, draft(message.get())) : TurnRequest.of(id, agent);
    }

    private static MessageDraft draft(JsonNode node) {
        if (!(node instanceof ObjectNode message)) {
            throw HttpProblem.badRequest("The field \"message\" must be an object.");
        }
        Fields.only(message, MESSAGE_FIELDS);
        UiMessage content = content(message);
        Fields.addressable("message id", content.id());
        Fields.text(message, "id").filter(id -> !id.equals(content.id())).ifPresent(id -> {
            throw HttpProblem.badRequest("The message's \"id\" and the one in its \"content\" differ.");
        });
        Fields.text(message, "role")
                .filter(role -> !role.equals(content.role()))
                .ifPresent(role -> {
                    throw HttpProblem.badRequest("The message's \"role\" and the one in its \"content\" differ.");
                });
        MessageDraft draft = MessageDraft.of(content.id(), content.role(), content.toBytes());
        Optional<String> parent = Fields.text(message, "parentId");
        Optional<String> sibling = Fields.text(message, "besideId");
        if (parent.isPresent() && sibling.isPresent()) {
            throw HttpProblem.badRequest("A message goes under \"parentId\" or beside \"besideId\", not both.");
        }
        return parent.map(draft::under).or(() -> sibling.map(draft::beside)).orElse(draft);
    }

    private static UiMessage content(ObjectNode message) {
        Optional<String> text = Fields.text(message, "text");
        Optional<JsonNode> content = Fields.any(message, "content");
        if (text.isPresent() == content.isPresent()) {
            throw HttpProblem.badRequest("A message has either a \"content\" (a UIMessage) or a \"text\".");
        }
        if (text.isPresent()) {
            return UiMessage.ofUser(
                    Fields.text(message, "id")
                            .orElseThrow(() -> HttpProblem.badRequest("A message of text needs an \"id\".")),
                    text.get());
        }
        try {
            return UiMessage.parse(Json.MAPPER.writeValueAsBytes(content.orElseThrow()));
        } catch (InvalidUiJson e) {
            throw HttpProblem.badRequest("The message's \"content\" is no UIMessage: " + e.getMessage());
        }
    }
}
