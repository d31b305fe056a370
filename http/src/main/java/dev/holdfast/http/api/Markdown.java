package dev.holdfast.http.api;

import dev.holdfast.session.Message;
import dev.holdfast.uimessage.InvalidUiJson;
import dev.holdfast.uimessage.UiMessage;
import dev.holdfast.uimessage.UiPart;
import java.util.Locale;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Messages as Markdown, for people to read. Texts stand as they are; what the model thought is quoted; tools show what they got and gave. */
final class Markdown {

    private static final int MIN_FENCE = 3;

    private Markdown() {}

    /** One message under a heading of its role. */
    static String message(Message message, Links links) {
        StringBuilder out = new StringBuilder();
        out.append("\n## ").append(heading(message.role())).append("\n");
        try {
            UiMessage.parse(message.content()).parts().forEach(part -> add(part, links, out));
        } catch (InvalidUiJson e) { // the application's own content
            block(out, message.text());
        }
        return out.toString();
    }

    /** A text on one line. */
    static String line(String text) {
        return text.replaceAll("\\s+", " ").strip();
    }

    private static String heading(String role) {
        return role.isEmpty() ? role : role.substring(0, 1).toUpperCase(Locale.ROOT) + line(role.substring(1));
    }

    private static void add(UiPart part, Links links, StringBuilder out) {
        switch (part) {
            case UiPart.Text text -> block(out, text.text());
            case UiPart.Reasoning reasoning -> block(out, quoted(reasoning.text()));
            case UiPart.Tool tool -> tool(tool, out);
            case UiPart.File file -> block(out, attachment(file, links));
            case UiPart.SourceUrl source ->
                block(out, "Source: " + link(source.title().orElse(source.url()), source.url()));
            case UiPart.SourceDocument source -> block(out, "Source: " + line(source.title()));
            default -> {}
        }
    }

    private static void block(StringBuilder out, String text) {
        if (!text.isBlank()) {
            out.append('\n').append(text.stripTrailing()).append('\n');
        }
    }

    private static String quoted(String text) {
        return text.isBlank() ? "" : "> " + text.strip().replace("\n", "\n> ");
    }

    /** Named, never with its bytes. */
    private static String attachment(UiPart.File file, Links links) {
        String name = file.text("filename").filter(given -> !given.isBlank()).orElse("attachment");
        String shown = "%s (%s)".formatted(line(name), line(file.mediaType()));
        return "Attachment: " + (file.url().startsWith("data:") ? shown : link(shown, links.absolute(file.url())));
    }

    private static String link(String text, String url) {
        String shown = line(text).replace("[", "\\[").replace("]", "\\]");
        String target = line(url).replace(" ", "%20").replace("<", "%3C").replace(">", "%3E");
        return "[%s](<%s>)".formatted(shown, target);
    }

    private static void tool(UiPart.Tool tool, StringBuilder out) {
        block(out, "Tool: " + line(tool.toolName()));
        tool.input().map(Markdown::shown).ifPresent(text -> block(out, fenced(text)));
        Optional<String> error = tool.errorText();
        if (tool.isCutShort()) {
            block(out, "No result: the turn ended before the tool had one.");
        } else if (error.isPresent()) {
            block(out, "Error: " + line(error.get()));
        } else {
            tool.output().map(Markdown::shown).ifPresent(text -> block(out, "Result:\n\n" + fenced(text)));
        }
    }

    private static String shown(JsonNode value) {
        return value.isString() ? value.stringValue() : value.toPrettyString();
    }

    /** In a fence that is longer than any row of backticks within. */
    private static String fenced(String text) {
        int longest = 0;
        int row = 0;
        for (int i = 0; i < text.length(); i++) {
            row = text.charAt(i) == '`' ? row + 1 : 0;
            longest = Math.max(longest, row);
        }
        String fence = "`".repeat(Math.max(MIN_FENCE, longest + 1));
        return fence + "\n" + text + "\n" + fence;
    }
}
