package dev.holdfast.verification.durablestreams;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/**
 * What the suite left on a server, as answers: of every stream its content, head and tail, and of every producer what it is told when it
 * repeats itself.
 */
final class LeftBehind {

    /** What an answer says about the stream; the rest is about the request. */
    private static final List<String> TELLING = List.of(
            "content-type",
            "etag",
            "stream-next-offset",
            "stream-closed",
            "stream-up-to-date",
            "producer-epoch",
            "producer-seq",
            "producer-expected-seq");

    /** The suite's streams live for seconds or for an hour. */
    private static final long SOON_SECONDS = 120;

    private final JsonNode left;

    /**
     * @param left as {@code suite.test.mjs} wrote it
     */
    LeftBehind(JsonNode left) {
        this.left = left;
    }

    /** Whether a stream is about to expire, which would change the answers by itself. Does not prolong its life. */
    boolean somethingExpiresSoon(URI server) throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            for (JsonNode path : left.get("streams")) {
                HttpRequest head = HttpRequest.newBuilder(server.resolve(path.asString()))
                        .HEAD()
                        .build();
                if (soon(client.send(head, BodyHandlers.discarding()).headers())) {
                    return true;
                }
            }
            return false;
        }
    }

    private static boolean soon(HttpHeaders headers) {
        Instant limit = Instant.now().plusSeconds(SOON_SECONDS);
        return headers.firstValueAsLong("Stream-TTL").orElse(Long.MAX_VALUE) < SOON_SECONDS
                || headers.firstValue("Stream-Expires-At")
                        .filter(time -> Instant.parse(time).isBefore(limit))
                        .isPresent();
    }

    /** Asks a server for all of it. Changes nothing there. */
    Map<String, String> answers(URI server) throws IOException, InterruptedException {
        Map<String, String> answers = new TreeMap<>();
        try (HttpClient client = HttpClient.newHttpClient()) {
            for (JsonNode path : left.get("streams")) {
                HttpResponse<String> content = client.send(
                        HttpRequest.newBuilder(server.resolve(path.asString())).build(),
                        BodyHandlers.ofString(StandardCharsets.ISO_8859_1));
                answers.put(
                        path.asString(),
                        telling(content) + " bytes=" + content.body().length() + " hash="
                                + content.body().hashCode());
            }
            for (JsonNode append : left.get("appends")) {
                HttpRequest again = repeated(server, append);
                String key = append.get("path").asString() + " " + append.get("producer");
                answers.put(key, telling(client.send(again, BodyHandlers.ofString())));
            }
        }
        return answers;
    }

    private static HttpRequest repeated(URI server, JsonNode append) {
        JsonNode producer = append.get("producer");
        return HttpRequest.newBuilder(server.resolve(append.get("path").asString()))
                .header("Content-Type", append.get("contentType").asString())
                .header("Producer-Id", producer.get(0).asString())
                .header("Producer-Epoch", producer.get(1).asString())
                .header("Producer-Seq", producer.get(2).asString())
                .POST(BodyPublishers.ofString("[\"repeated\"]"))
                .build();
    }

    private static String telling(HttpResponse<?> answer) {
        StringBuilder text = new StringBuilder().append(answer.statusCode());
        for (String name : TELLING) {
            answer.headers()
                    .firstValue(name)
                    .ifPresent(
                            value -> text.append(' ').append(name).append('=').append(value));
        }
        return text.toString();
    }
}
