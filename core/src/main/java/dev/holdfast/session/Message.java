package dev.holdfast.session;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A message of a session, with its content. The content is opaque to Holdfast; the adapters keep JSON there in the shape of the AI SDK's
 * UIMessage (id, role, parts, metadata).
 *
 * @param id unique within the session
 * @param parent id of the message before it, or null for a root
 * @param role such as {@code user} or {@code assistant}
 * @param content the bytes; do not change them
 * @param createdAt when it was added
 * @param updatedAt when its content last changed
 */
@SuppressWarnings("ArrayRecordComponent") // opaque bytes, handed through; identity is the id
public record Message(
        String id, @Nullable String parent, String role, byte[] content, Instant createdAt, Instant updatedAt) {

    /** The parent's id, or empty for a root. */
    public Optional<String> parentId() {
        return Optional.ofNullable(parent);
    }

    /** The content as UTF-8 text. */
    public String text() {
        return new String(content, StandardCharsets.UTF_8);
    }
}
