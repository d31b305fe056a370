package dev.holdfast.client.transport;

import dev.holdfast.client.message.MalformedMessage;
import dev.holdfast.client.message.MessageJson;
import dev.holdfast.client.message.Problem;
import dev.holdfast.client.message.ServerMessage.Reply;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Reads plain answers of HTTP, at most {@value #MAX_ANSWER_BYTES} bytes of each. */
final class Answers {

    /** The largest answer to a command that is read. */
    static final int MAX_ANSWER_BYTES = 8 << 20;

    private static final Pattern SECONDS = Pattern.compile("\\d{1,9}");

    private Answers() {}

    static String read(InputStream body) throws IOException {
        try (body) {
            byte[] bytes = body.readNBytes(MAX_ANSWER_BYTES + 1);
            if (bytes.length > MAX_ANSWER_BYTES) {
                throw new IOException("The server answered with more than %d bytes, the most that is read."
                        .formatted(MAX_ANSWER_BYTES));
            }
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }

    /** The reply in an answer to a POST: a reply, or a problem by itself. What says nothing of either is a reply of that status and no more. */
    static Reply reply(String id, int status, @Nullable String body) {
        JsonNode json = tree(body);
        if (json == null) {
            return new Reply(id, status, null, null);
        }
        if (status < 200 || status >= 300) {
            return new Reply(id, status, null, problem(json));
        }
        return json.path("type").asString("").equals("reply")
                ? new Reply(id, status, json.get("result"), null)
                : new Reply(id, status, json, null);
    }

    /** The problem in an answer, if it is one. */
    static @Nullable Problem problem(@Nullable String body) {
        JsonNode json = tree(body);
        return json == null ? null : problem(json);
    }

    private static @Nullable Problem problem(JsonNode json) {
        JsonNode itself = json.path("type").asString("").equals("reply") ? json.path("problem") : json;
        try {
            return itself.isObject() ? MessageJson.convert(itself, Problem.class) : null;
        } catch (MalformedMessage e) {
            return null; // another server's idea of an error
        }
    }

    private static @Nullable JsonNode tree(@Nullable String body) {
        if (body == null || body.isBlank()) {
            return null;
        }
        try {
            return MessageJson.tree(body);
        } catch (MalformedMessage e) {
            return null;
        }
    }

    /** When another try makes sense, where the answer says so in seconds. */
    static @Nullable Duration retryAfter(HttpHeaders headers) {
        return headers.firstValue("Retry-After")
                .filter(value -> SECONDS.matcher(value).matches())
                .map(value -> Duration.ofSeconds(Long.parseLong(value)))
                .orElse(null);
    }
}
