package dev.holdfast.session;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A message that was found.
 *
 * @param sessionId its session
 * @param title the session's title, or null
 * @param messageId the message
 * @param role its role
 * @param snippet a piece of its text around the first word that was looked for, in parts
 * @param createdAt when it was added
 */
public record SearchHit(
        String sessionId,
        @Nullable String title,
        String messageId,
        String role,
        List<Part> snippet,
        Instant createdAt) {

    /**
     * A part of a snippet.
     *
     * @param text as it stands in the message
     * @param match whether it is a word that was looked for
     */
    public record Part(String text, boolean match) {}
}
