package dev.holdfast.models;

import dev.holdfast.uimessage.UiMessage;
import dev.holdfast.uimessage.UiPart;
import java.util.List;

/** Tool calls of messages, and answers to those that wait. */
final class ToolMessages {

    private ToolMessages() {}

    static UiMessage answered(UiMessage waiting, boolean approved) {
        return edited(waiting, "c2", answer(approved));
    }

    static String answer(boolean approved) {
        return "{\"state\":\"approval-responded\",\"approval\":{\"id\":\"approval-c2\",\"approved\":%s,\"reason\":\"too far\"}}"
                .formatted(approved);
    }

    /** The message with fields of one call replaced, as an answer does it. */
    static UiMessage edited(UiMessage message, String callId, String fields) {
        UiMessage copy = UiMessage.parse(message.toBytes());
        for (UiPart.Tool call : calls(copy)) {
            if (call.toolCallId().equals(callId)) {
                ModelJson.read(fields)
                        .orElseThrow()
                        .properties()
                        .forEach(field -> call.json().set(field.getKey(), field.getValue()));
            }
        }
        return copy;
    }

    static List<UiPart.Tool> calls(UiMessage message) {
        return message.parts().stream()
                .filter(UiPart.Tool.class::isInstance)
                .map(UiPart.Tool.class::cast)
                .toList();
    }

    /** What each call came to: its output as text, or its error. */
    static List<String> outputs(UiMessage message) {
        return calls(message).stream().map(Conversation::result).toList();
    }
}
