package dev.holdfast.session;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Reads the contents of messages, which are opaque bytes to everything else: for titles and the search. Pure: the same bytes give the same
 * answer. Thread-safe. Never throws for a content: one that it does not understand has no text.
 */
@FunctionalInterface
public interface MessageContents {

    /** What people read of it, without markup of the content's format; empty if there is none. */
    String text(byte[] content);

    /** Contents that are text in UTF-8; others have none. */
    static MessageContents plain() {
        return content -> {
            try {
                return StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(content))
                        .toString();
            } catch (CharacterCodingException e) {
                return "";
            }
        };
    }
}
