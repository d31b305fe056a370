package dev.holdfast.client.message;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A message of a session's tree. Immutable, but for {@code content}, which callers leave as it is.
 *
 * @param content a UIMessage of the AI SDK, or what another application wrote
 */
public record StoredMessage(
        String id,
        @JsonInclude @Nullable String parentId,
        String role,
        JsonNode content,
        Instant createdAt,
        Instant updatedAt) {

    public StoredMessage {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(role, "role");
        Objects.requireNonNull(content, "content");
        Objects.requireNonNull(createdAt, "createdAt");
        Objects.requireNonNull(updatedAt, "updatedAt");
    }
}
