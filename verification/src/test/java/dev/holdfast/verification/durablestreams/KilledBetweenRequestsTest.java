package dev.holdfast.verification.durablestreams;

import static dev.holdfast.verification.rig.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.verification.rig.ServerProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A server that is killed after each request. What it answers after its next start about every stream, head and subscription is what it
 * answered before, and the next request is answered as if nothing had happened (VISIBLE-IS-DURABLE).
 */
final class KilledBetweenRequestsTest {

    private static final String TEXT = "text/plain";
    private static final String JSON = "application/json";
    private static final String SUBSCRIPTION = "/__ds/subscriptions/sub";
    private static final List<String> OF_THE_REQUEST = List.of("date", "stream-cursor");

    @TempDir
    private Path scratch;

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    /** Paths that were named so far, each with what it was answered last. */
    private final Map<String, String> known = new TreeMap<>();

    private ServerProcess server;
    private int kills;

    @BeforeEach
    void start() {
        server = ServerProcess.start(scratch, scratch.resolve("data"), 0);
    }

    @AfterEach
    void close() {
        server.close();
        client.shutdownNow();
    }

    private HttpResponse<String> send(String method, String path, String body, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server.uri() + "/v1/stream" + path))
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.send(request.build(), BodyHandlers.ofString());
    }

    /** Sends a request, and kills the server once it was answered. */
    private HttpResponse<String> step(int status, String method, String path, String body, String... headers)
            throws IOException, InterruptedException {
        HttpResponse<String> answer = send(method, path, body, headers);
        assertThat(answer.statusCode())
                .as("%s %s after %d kills: %s", method, path, kills, answer.body())
                .isEqualTo(status);
        if (!path.contains("__ds")) {
            known.put(path, "");
        } else if (method.equals("PUT")) {
            known.put(SUBSCRIPTION, "");
        }
        Map<String, String> before = everything();
        server.kill();
        kills++;
        server = ServerProcess.start(scratch, scratch.resolve("data"), 0);
        assertThat(everything()).as("after %s %s and a kill", method, path).containsExactlyInAnyOrderEntriesOf(before);
        return answer;
    }

    private Map<String, String> everything() throws IOException, InterruptedException {
        Map<String, String> all = new TreeMap<>();
        for (String path : known.keySet()) {
            all.put(path, told(send("GET", path, "")));
            all.put("head of " + path, told(send("HEAD", path, "")));
            all.put("tail of " + path, told(send("GET", path + "?offset=now", "")));
        }
        return all;
    }

    private static String told(HttpResponse<String> answer) {
        StringBuilder text = new StringBuilder().append(answer.statusCode());
        new TreeMap<>(answer.headers().map()).forEach((name, values) -> {
            if (!OF_THE_REQUEST.contains(name)) {
                text.append('\n').append(name).append(values);
            }
        });
        return text.append('\n').append(answer.body()).toString();
    }

    private HttpResponse<String> append(int status, String stream, String body, String... more)
            throws IOException, InterruptedException {
        String[] headers = new String[more.length + 2];
        headers[0] = "Content-Type";
        headers[1] = TEXT;
        System.arraycopy(more, 0, headers, 2, more.length);
        return step(status, "POST", stream, body, headers);
    }

    private static String[] producer(String id, int epoch, int seq, String... more) {
        String[] headers = new String[6 + more.length];
        String[] own = {"Producer-Id", id, "Producer-Epoch", "" + epoch, "Producer-Seq", "" + seq};
        System.arraycopy(own, 0, headers, 0, own.length);
        System.arraycopy(more, 0, headers, own.length, more.length);
        return headers;
    }

    private static String offset(int position) {
        return "%016d_%016d".formatted(0, position);
    }

    @Test
    @Timeout(900)
    void appends_producers_orders_and_ends() throws Exception {
        step(201, "PUT", "/a", "one", "Content-Type", TEXT);
        append(204, "/a", "two");
        append(200, "/a", "three", producer("p", 0, 0));
        append(204, "/a", "repeated", producer("p", 0, 0));
        assertThat(append(409, "/a", "x", producer("p", 0, 2)).headers().firstValue("Producer-Expected-Seq"))
                .hasValue("1");
        append(200, "/a", "four", producer("p", 1, 0));
        assertThat(append(403, "/a", "x", producer("p", 0, 1)).headers().firstValue("Producer-Epoch"))
                .hasValue("1");
        append(204, "/a", "five", "Stream-Seq", "b");
        append(409, "/a", "x", "Stream-Seq", "a");
        append(412, "/a", "x", "If-Match", offset(4));
        append(204, "/a", "six", "If-Match", offset(5));
        append(200, "/a", "seven", producer("p", 1, 1, "Stream-Closed", "true"));
        append(204, "/a", "seven", producer("p", 1, 1, "Stream-Closed", "true"));
        append(409, "/a", "eight");
        assertThat(send("GET", "/a", "").body()).isEqualTo("onetwothreefourfivesixseven");
        step(204, "DELETE", "/a", "");
        step(201, "PUT", "/a", "", "Content-Type", TEXT, "Stream-TTL", "3600");
        append(200, "/a", "anew", producer("p", 0, 0));
        step(201, "PUT", "/at", "", "Content-Type", JSON, "Stream-Expires-At", "2130-01-31T12:00:00Z");
        step(409, "PUT", "/at", "", "Content-Type", JSON);
        step(201, "PUT", "/closed", "all", "Content-Type", TEXT, "Stream-Closed", "true");
        append(409, "/closed", "more");
    }

    @Test
    @Timeout(900)
    void forks_and_what_they_hold() throws Exception {
        step(201, "PUT", "/a", "one", "Content-Type", TEXT);
        append(204, "/a", "two");
        step(201, "PUT", "/f", "", "Stream-Forked-From", "/v1/stream/a", "Stream-Fork-Offset", offset(1));
        append(204, "/f", "F");
        step(201, "PUT", "/g", "G", "Stream-Forked-From", "/v1/stream/f", "Stream-Fork-Sub-Offset", "0");
        step(204, "DELETE", "/a", "");
        step(410, "GET", "/a", "");
        step(409, "PUT", "/a", "", "Content-Type", TEXT);
        step(409, "PUT", "/h", "", "Stream-Forked-From", "/v1/stream/a");
        step(204, "DELETE", "/f", "");
        assertThat(send("GET", "/g", "").body()).isEqualTo("oneFG");
        append(204, "/g", "!");
        step(204, "DELETE", "/g", "");
        step(404, "GET", "/a", "");
        step(201, "PUT", "/a", "new", "Content-Type", TEXT);
        assertThat(send("GET", "/a", "").body()).isEqualTo("new");
        step(201, "PUT", "/j", "[1,2,3]", "Content-Type", JSON);
        step(
                201,
                "PUT",
                "/sub",
                "",
                "Stream-Forked-From",
                "/v1/stream/j",
                "Stream-Fork-Offset",
                offset(0),
                "Stream-Fork-Sub-Offset",
                "2");
        assertThat(send("GET", "/sub", "").body()).isEqualTo("[1,2]");
    }

    @Test
    @Timeout(900)
    void subscriptions_claims_and_acknowledgements() throws Exception {
        step(201, "PUT", SUBSCRIPTION, """
                {"type":"pull-wake","pattern":"ev/*","wake_stream":"pool","lease_ttl_ms":600000}""");
        assertThat(send("PUT", "/ev/a", "[1,2]", "Content-Type", JSON).statusCode())
                .isEqualTo(201);
        await().until(() -> send("GET", SUBSCRIPTION, "").body().contains("\"generation\":1"));
        JsonNode first = claim();
        worker(200, first, "ack", 1, "");
        step(409, "POST", SUBSCRIPTION + "/claim", "{\"worker\":\"other\"}");
        step(204, "POST", "/ev/a", "3", "Content-Type", JSON);
        worker(200, first, "ack", 2, ",\"done\":true");
        JsonNode second = claim();
        assertThat(second.get("generation").asLong())
                .isEqualTo(first.get("generation").asLong() + 1);
        worker(409, first, "ack", 3, "");
        worker(204, second, "release", 2, "");
        worker(200, claim(), "ack", 3, ",\"done\":true");
        step(409, "POST", SUBSCRIPTION + "/claim", "{\"worker\":\"other\"}");
        step(204, "DELETE", SUBSCRIPTION, "");
    }

    private JsonNode claim() throws IOException, InterruptedException {
        return JsonMapper.shared()
                .readTree(step(200, "POST", SUBSCRIPTION + "/claim", "{\"worker\":\"w\"}")
                        .body());
    }

    private void worker(int status, JsonNode claim, String action, int position, String more)
            throws IOException, InterruptedException {
        String body = "{\"wake_id\":%s,\"generation\":%s,\"acks\":[{\"stream\":\"ev/a\",\"offset\":\"%s\"}]%s}"
                .formatted(claim.get("wake_id"), claim.get("generation"), offset(position), more);
        step(
                status,
                "POST",
                SUBSCRIPTION + "/" + action,
                body,
                "Authorization",
                "Bearer " + claim.get("token").asString());
    }
}
