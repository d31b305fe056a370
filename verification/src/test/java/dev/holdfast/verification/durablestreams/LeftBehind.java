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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/**
 * What the suite left on a server, as answers: of every stream and every subscription its content, head and tail, of every producer what it
 * is told when it repeats itself, and of every order what its last append is told.
 */
final class LeftBehind {

    /** What an answer says about the stream; the rest is about the request. */
    private static final List<String> TELLING = List.of(
            "content-type",
            "etag",
            "stream-next-offset",
            "stream-closed",
            "stream-up-to-date",
            "stream-ttl",
            "stream-expires-at",
            "stream-retention-seconds",
            "stream-retention-bytes",
            "stream-first-offset",
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
                if (soon(client.send(head(server, path), BodyHandlers.discarding())
                        .headers())) {
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
                answers.put(
                        "head of " + path.asString(),
                        telling(client.send(head(server, path), BodyHandlers.discarding())));
            }
            for (JsonNode append : left.get("appends")) {
                HttpRequest again = repeated(server, append);
                String key = append.get("path").asString() + " " + append.get("producer");
                answers.put(key, telling(client.send(again, BodyHandlers.ofString())));
            }
            for (JsonNode order : left.get("orders")) {
                HttpRequest again = append(server, order)
                        .header("Stream-Seq", order.get("order").asString())
                        .build();
                String key = order.get("path").asString() + " order " + order.get("order");
                answers.put(key, telling(client.send(again, BodyHandlers.ofString())));
            }
        }
        return answers;
    }

    private static HttpRequest head(URI server, JsonNode path) {
        return HttpRequest.newBuilder(server.resolve(path.asString())).HEAD().build();
    }

    private static HttpRequest repeated(URI server, JsonNode append) {
        JsonNode producer = append.get("producer");
        return append(server, append)
                .header("Producer-Id", producer.get(0).asString())
                .header("Producer-Epoch", producer.get(1).asString())
                .header("Producer-Seq", producer.get(2).asString())
                .build();
    }

    private static HttpRequest.Builder append(URI server, JsonNode append) {
        return HttpRequest.newBuilder(server.resolve(append.get("path").asString()))
                .header("Content-Type", append.get("contentType").asString())
                .POST(BodyPublishers.ofString("[\"repeated\"]"));
    }

    /**
     * Deletes all of it, and returns what is left of it then: nothing, if every fork released its source and no source was released by others.
     */
    List<String> leftAfterDeleting(URI server) throws IOException, InterruptedException {
        List<String> stillThere = new ArrayList<>();
        try (HttpClient client = HttpClient.newHttpClient()) {
            for (JsonNode path : left.get("streams")) {
                HttpRequest delete = HttpRequest.newBuilder(server.resolve(path.asString()))
                        .DELETE()
                        .build();
                client.send(delete, BodyHandlers.discarding());
            }
            for (JsonNode path : left.get("streams")) {
                HttpRequest get =
                        HttpRequest.newBuilder(server.resolve(path.asString())).build();
                int status = client.send(get, BodyHandlers.discarding()).statusCode();
                if (status != 404) {
                    stillThere.add(path.asString() + " " + status);
                }
            }
        }
        return stillThere;
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
