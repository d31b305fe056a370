package dev.holdfast.mcp.client;

import org.jspecify.annotations.Nullable;

/**
 * A task as it was last seen.
 *
 * @param taskId its id: what is to be kept to find it again after a crash
 * @param tool the tool that was called
 * @param status such as {@code working}
 * @param message what its server says of it, or null
 */
public record FollowedTask(
        String taskId, String tool, String status, @Nullable String message) {}
