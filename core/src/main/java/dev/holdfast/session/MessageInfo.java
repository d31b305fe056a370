package dev.holdfast.session;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A message without its content.
 *
 * @param id unique within the session
 * @param parent id of the message before it, or null for a root
 * @param role such as {@code user} or {@code assistant}
 * @param bytes size of the content
 * @param createdAt when it was added
 * @param updatedAt when its content last changed
 */
public record MessageInfo(
        String id, @Nullable String parent, String role, long bytes, Instant createdAt, Instant updatedAt) {}
