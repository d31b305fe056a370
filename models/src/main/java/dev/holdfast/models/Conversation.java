package dev.holdfast.models;

import dev.holdfast.session.CompactedHistory.Entry;
import dev.holdfast.session.Message;
import dev.holdfast.turn.TurnContext;
import dev.holdfast.uimessage.InvalidUiJson;
import dev.holdfast.uimessage.UiMessage;
import dev.holdfast.uimessage.UiPart;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The conversation that a turn answers, as messages of the AI SDK; the turn's own, once it has said something, comes last. */
final class Conversation {

    /** The result of a call that has none. */
    static final String INTERRUPTED = "The tool call was interrupted and has no result.";

    private Conversation() {}

    /** @param own what the turn has said and done so far */
    static List<UiMessage> of(TurnContext turn, UiMessage own) {
        List<UiMessage> messages = new ArrayList<>();
        for (Entry entry : turn.conversation(ModelLimits.MAX_HISTORY_BYTES).entries()) {
            messages.add(read(entry));
        }
        messages.removeIf(message -> message.id().equals(own.id()));
        new AttachedFiles(turn).putInto(messages);
        if (!own.parts().isEmpty()) {
            messages.add(own);
        }
        return messages;
    }

    /** The text that tells a model how a tool call ended. Models refuse a conversation with a call that has no result. */
    static String result(UiPart.Tool tool) {
        return switch (tool.state()) {
            case "output-available" ->
                tool.output()
                        .map(output -> output.isString() ? output.stringValue() : output.toString())
                        .orElse("");
            case "output-error" -> tool.errorText().orElse("The tool failed.");
            case "output-denied" -> denial(tool);
            default -> INTERRUPTED;
        };
    }

    /** The text of a tool's input; an input that is not JSON becomes an object, since providers refuse anything else. */
    static String arguments(UiPart.Tool tool) {
        return tool.input().filter(JsonNode::isObject).map(JsonNode::toString).orElseGet(() -> {
            ObjectNode object = ModelJson.object();
            tool.rawInput()
                    .or(() -> tool.input().filter(input -> !input.isNull()).map(JsonNode::toString))
                    .ifPresent(raw -> object.put("raw", raw));
            return object.toString();
        });
    }

    private static String denial(UiPart.Tool tool) {
        String reason = tool.value("approval")
                .map(approval -> ModelJson.textOrEmpty(approval, "reason"))
                .orElse("");
        return reason.isEmpty() ? "The user did not allow this call." : "The user did not allow this call: " + reason;
    }

    /** A message, or a summary as a message that is stored nowhere. */
    static UiMessage read(Entry entry) {
        return switch (entry) {
            case Entry.Stored stored -> read(stored.message());
            case Entry.Folded folded ->
                UiMessage.ofUser(
                        "overlay-" + folded.overlay().id(),
                        "Summary of %,d earlier messages of this conversation, which are not shown:\n\n%s"
                                .formatted(folded.messages(), folded.overlay().summary()));
        };
    }

    static UiMessage read(Message message) {
        try {
            return UiMessage.parse(message.content());
        } catch (InvalidUiJson e) {
            // The application's own content: the model is told its text.
            UiMessage plain = UiMessage.ofUser(message.id(), message.text());
            return new UiMessage(message.id(), message.role(), plain.parts());
        }
    }
}
