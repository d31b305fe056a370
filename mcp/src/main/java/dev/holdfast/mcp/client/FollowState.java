package dev.holdfast.mcp.client;

import dev.holdfast.http.Json;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * What a call that follows a task must remember from one round of questions to the next, as the {@code requestState} that a client hands back. It
 * never leaves the client.
 *
 * @param taskId the task
 * @param answered keys of questions that were answered; a server may show them for a while yet
 */
record FollowState(String taskId, Set<String> answered) {

    private static final String PREFIX = "dev.holdfast.task:";

    static FollowState of(String taskId) {
        return new FollowState(taskId, Set.of());
    }

    /** The state in the parameters of a call, or null if it follows no task. */
    static @Nullable FollowState in(Map<?, ?> params) {
        if (!(params.get("requestState") instanceof String text) || !text.startsWith(PREFIX)) {
            return null;
        }
        try {
            JsonNode json = Json.MAPPER.readTree(Base64.getUrlDecoder().decode(text.substring(PREFIX.length())));
            List<String> answered = new ArrayList<>();
            json.path("answered").forEach(key -> answered.add(key.asString("")));
            return new FollowState(json.path("taskId").asString(""), new LinkedHashSet<>(answered));
        } catch (IllegalArgumentException | JacksonException e) {
            return null; // a server's own state, which looks a little like ours
        }
    }

    FollowState with(Set<String> more) {
        Set<String> all = new LinkedHashSet<>(answered);
        all.addAll(more);
        return new FollowState(taskId, all);
    }

    String encode() {
        byte[] json = Json.MAPPER
                .writeValueAsString(Map.of("taskId", taskId, "answered", answered))
                .getBytes(StandardCharsets.UTF_8);
        return PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(json);
    }
}
