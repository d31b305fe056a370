package dev.holdfast.models;

import dev.holdfast.uimessage.UiMessage;
import dev.holdfast.uimessage.UiPart;

/**
 * About how many tokens a message costs a model, without the model's own tokenizer: for each text the larger of a quarter of its characters and 1.3 for
 * each of its words. Good enough to know when a conversation grows too long; providers count otherwise.
 */
final class TokenEstimate {

    private static final int PER_MESSAGE = 4;
    private static final int PER_IMAGE = 1_600;
    private static final int BYTES_PER_TOKEN = 4;
    private static final int MAX_PER_FILE = 20_000;
    private static final double PER_WORD = 1.3;

    private TokenEstimate() {}

    static long of(UiMessage message) {
        long tokens = PER_MESSAGE;
        for (UiPart part : message.parts()) {
            tokens += of(part);
        }
        return tokens;
    }

    private static long of(UiPart part) {
        return switch (part) {
            case UiPart.Text text -> of(text.text());
            case UiPart.Tool tool ->
                of(tool.toolName()) + of(Conversation.arguments(tool)) + of(Conversation.result(tool));
            case UiPart.File file ->
                file.mediaType().startsWith("image/")
                        ? PER_IMAGE
                        : Math.min(MAX_PER_FILE, file.url().length() / BYTES_PER_TOKEN);
            default -> 0;
        };
    }

    static long of(String text) {
        return Math.max(text.length() / BYTES_PER_TOKEN, Math.round(words(text) * PER_WORD));
    }

    private static int words(String text) {
        int words = 0;
        boolean within = false;
        for (int i = 0; i < text.length(); i++) {
            boolean blank = Character.isWhitespace(text.charAt(i));
            if (!blank && !within) {
                words++;
            }
            within = !blank;
        }
        return words;
    }
}
