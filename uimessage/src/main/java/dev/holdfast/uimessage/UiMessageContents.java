package dev.holdfast.uimessage;

import dev.holdfast.session.MessageContents;

/**
 * Reads contents that are messages of the AI SDK: their text is that of their text parts, a line each. Contents that are not such messages,
 * which other applications on the same store may have written, are read as {@linkplain MessageContents#plain() plain text}. Takes time
 * linear in the content. Thread-safe.
 */
public final class UiMessageContents implements MessageContents {

    private static final MessageContents PLAIN = MessageContents.plain();

    @Override
    public String text(byte[] content) {
        UiMessage message;
        try {
            message = UiMessage.parse(content);
        } catch (InvalidUiJson e) {
            return PLAIN.text(content);
        }
        return text(message);
    }

    private static String text(UiMessage message) {
        StringBuilder text = new StringBuilder();
        for (UiPart part : message.parts()) {
            if (part instanceof UiPart.Text t) {
                if (!text.isEmpty()) {
                    text.append('\n');
                }
                text.append(t.text());
            }
        }
        return text.toString();
    }
}
