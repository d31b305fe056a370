package dev.holdfast.session;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;

/**
 * Reads the contents of messages, which are opaque bytes to everything else: for titles and the search, and for the attachments that a message
 * names. Pure: the same bytes give the same answer. Thread-safe. Never throws for a content: one that it does not understand has no text and
 * names nothing.
 */
@FunctionalInterface
public interface MessageContents {

    /** What people read of it, without markup of the content's format; empty if there is none. */
    String text(byte[] content);

    /**
     * Takes a content apart before it is written.
     *
     * @param sessionId the session of the message
     */
    default Parts take(String sessionId, byte[] content) {
        return new Parts(content, text(content), List.of(), Set.of());
    }

    /**
     * A content that was taken apart.
     *
     * @param content what is stored: without the binaries that were moved out
     * @param text as {@link #text} gives it
     * @param moved binaries that were part of it, and are attachments from now on
     * @param names ids of the attachments of its session that the content names, those that were moved among them
     */
    @SuppressWarnings("ArrayRecordComponent") // opaque bytes, handed through
    record Parts(byte[] content, String text, List<NewAttachment> moved, Set<String> names) {}

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
