package dev.holdfast.http.session;

import dev.holdfast.http.Json;
import dev.holdfast.uimessage.InvalidUiJson;
import dev.holdfast.uimessage.UiMessage;
import dev.holdfast.uimessage.UiPart;
import dev.holdfast.uimessage.UiToolAnswers;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The tool calls of a message that wait for an answer: those prompts that no lost connection may lose. */
final class PendingCalls {

    private PendingCalls() {}

    /** None for what is no message of the AI SDK. */
    static ArrayNode of(byte[] message) {
        ArrayNode pending = Json.MAPPER.createArrayNode();
        UiMessage parsed;
        try {
            parsed = UiMessage.parse(message);
        } catch (InvalidUiJson e) {
            return pending;
        }
        for (UiPart part : parsed.parts()) {
            if (part instanceof UiPart.Tool call && UiToolAnswers.waits(call)) {
                ObjectNode node = pending.addObject();
                node.put("toolCallId", call.toolCallId());
                node.put("toolName", call.toolName());
                node.put("approval", call.state().equals("approval-requested"));
                call.input().ifPresent(input -> node.set("input", input));
            }
        }
        return pending;
    }
}
