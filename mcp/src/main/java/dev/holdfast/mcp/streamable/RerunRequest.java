package dev.holdfast.mcp.streamable;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request that was running when the server stopped.
 *
 * @param method such as {@code tools/call}
 * @param tool the tool that was called, or null for another method
 * @param arguments the tool's arguments; empty if there were none
 */
public record RerunRequest(String method, @Nullable String tool, Map<String, Object> arguments) {}
