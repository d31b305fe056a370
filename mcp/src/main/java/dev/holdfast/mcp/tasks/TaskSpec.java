package dev.holdfast.mcp.tasks;

import dev.holdfast.access.Principal;
import dev.holdfast.mcp.PlainJson;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * What a task is from its creation on.
 *
 * @param id its name on the wire
 * @param tool the tool that is called
 * @param requestId of the call
 * @param params of the call
 * @param owner who made it
 * @param createdAt ms since 1970
 * @param timeToLive in ms, or null for no end
 */
record TaskSpec(
        String id,
        String tool,
        Object requestId,
        Map<String, @Nullable Object> params,
        Principal owner,
        long createdAt,
        @Nullable Long timeToLive) {

    private static final Pattern STREAM = Pattern.compile(TaskLog.PREFIX + "((?:[0-9a-f]{1,15}\\.)?[A-Za-z0-9_-]+)");

    Map<String, @Nullable Object> toJson() {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("tool", tool);
        json.put("requestId", requestId);
        json.put("params", params);
        json.put("tenant", owner.tenant());
        json.put("principal", owner.name());
        json.put("createdAt", createdAt);
        json.put("ttlMs", timeToLive);
        return json;
    }

    static TaskSpec of(String id, JsonNode json) {
        Object requestId = PlainJson.of(json.path("requestId"));
        return new TaskSpec(
                id,
                json.path("tool").stringValue(),
                requestId == null ? id : requestId,
                PlainJson.map(json.path("params")),
                new Principal(
                        json.path("tenant").stringValue(),
                        json.path("principal").stringValue()),
                json.path("createdAt").longValue(),
                json.path("ttlMs").isNull() ? null : json.path("ttlMs").longValue());
    }

    /** What logs call it. Who knows a task's id may read it where nobody needs a key, and so a digest stands for it. */
    String label() {
        return "Task #%s of tool %s".formatted(digest(id), tool);
    }

    /** An error for logs: its sentence may name streams of tasks. */
    static String withoutIds(Throwable e) {
        return STREAM.matcher(e.toString()).replaceAll(found -> "task #" + digest(found.group(1)));
    }

    /** The same for the same task, and too short to find the id by. */
    static String digest(String id) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(id.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, 4);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The members of the capabilities that the client declared with the call. */
    Map<?, ?> clientCapabilities() {
        return params.get("_meta") instanceof Map<?, ?> meta
                        && meta.get("io.modelcontextprotocol/clientCapabilities") instanceof Map<?, ?> declared
                ? declared
                : Map.of();
    }
}
