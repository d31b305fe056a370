package dev.holdfast.models;

import dev.holdfast.uimessage.UiMessage;
import dev.holdfast.uimessage.UiPart;
import java.util.List;

/** A conversation as text, for whoever sums it up. Files are named; long results of tools are cut, since their message is kept anyway. */
final class Transcript {

    private static final int MAX_TOOL_CHARS = 4_000;

    private Transcript() {}

    static String of(List<UiMessage> messages) {
        StringBuilder text = new StringBuilder();
        for (UiMessage message : messages) {
            text.append(message.role()).append(":\n");
            message.parts().forEach(part -> add(text, part));
            text.append('\n');
        }
        return text.toString();
    }

    private static void add(StringBuilder text, UiPart part) {
        switch (part) {
            case UiPart.Text said -> text.append(said.text()).append('\n');
            case UiPart.File file ->
                text.append("[file ")
                        .append(file.text("filename").orElse(file.mediaType()))
                        .append("]\n");
            case UiPart.Tool tool ->
                text.append("[tool ")
                        .append(tool.toolName())
                        .append(' ')
                        .append(cut(Conversation.arguments(tool)))
                        .append(" -> ")
                        .append(cut(Conversation.result(tool)))
                        .append("]\n");
            default -> {}
        }
    }

    private static String cut(String text) {
        if (text.length() <= MAX_TOOL_CHARS) {
            return text;
        }
        int end = Character.isHighSurrogate(text.charAt(MAX_TOOL_CHARS - 1)) ? MAX_TOOL_CHARS - 1 : MAX_TOOL_CHARS;
        return text.substring(0, end) + " ... (" + (text.length() - end) + " characters more)";
    }
}
