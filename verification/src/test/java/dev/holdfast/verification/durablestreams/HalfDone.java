package dev.holdfast.verification.durablestreams;

import static dev.holdfast.verification.rig.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.verification.subscriptions.Receiver;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Subscriptions in the middle of their work when the server is killed: one that a worker claimed, one whose webhook was taken, one whose
 * webhook is refused and is to be sent again.
 */
final class HalfDone implements AutoCloseable {

    /** Longer than anything here takes, so that no lease ends by itself. */
    private static final int LEASE_MILLIS = 600_000;

    /** More than the longest time between two deliveries. */
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(4);

    private static final String PULL = "half-claimed";
    private static final String TAKEN = "half-taken";
    private static final String REFUSED = "half-refused";

    private final HttpClient client = HttpClient.newHttpClient();
    private final Receiver taking = new Receiver(wake -> Receiver.Reply.TAKEN);
    private final Receiver refusing = new Receiver(wake -> Receiver.Reply.BROKEN);
    private final Map<String, JsonNode> before = new HashMap<>();
    private final JsonNode claim;

    HalfDone(URI server) throws IOException, InterruptedException {
        put(server, "half/pool", "");
        subscribe(server, PULL, "\"type\":\"pull-wake\",\"wake_stream\":\"half/pool\"");
        subscribe(server, TAKEN, "\"type\":\"webhook\",\"webhook\":{\"url\":\"%s\"}".formatted(taking.url()));
        subscribe(server, REFUSED, "\"type\":\"webhook\",\"webhook\":{\"url\":\"%s\"}".formatted(refusing.url()));
        for (String each : List.of(PULL, TAKEN, REFUSED)) {
            put(server, "half/" + each + "/a", "[1,2,3]");
        }
        claim = body(send(server, "POST", "/__ds/subscriptions/" + PULL + "/claim", "", "{\"worker\":\"first\"}"));
        assertThat(report(server, "/ack", PULL, claim, "token", 1, "").statusCode())
                .isEqualTo(200);
        await().until(() -> get(server, TAKEN).has("lease_until"));
        await().until(() -> get(server, REFUSED).has("next_attempt_at"));
        before.put(PULL, get(server, PULL));
        before.put(TAKEN, get(server, TAKEN));
    }

    /** That leases, claims, tokens and the retry are as they were before the kill. */
    void goesOn(URI server) throws IOException, InterruptedException {
        assertThat(get(server, PULL)).isEqualTo(before.get(PULL));
        assertThat(get(server, TAKEN)).isEqualTo(before.get(TAKEN));
        JsonNode error = body(send(
                        server, "POST", "/__ds/subscriptions/" + PULL + "/claim", "", "{\"worker\":\"second\"}"))
                .get("error");
        assertThat(error.get("code").asString()).isEqualTo("ALREADY_CLAIMED");
        assertThat(error.get("current_holder").asString()).isEqualTo("first");
        assertThat(report(server, "/ack", PULL, claim, "token", 3, ",\"done\":true")
                        .body())
                .isEqualTo("{\"ok\":true,\"next_wake\":false}");
        JsonNode taken = taking.wake(0).body();
        assertThat(report(server, "/callback", TAKEN, taken, "callback_token", 3, ",\"done\":true")
                        .body())
                .isEqualTo("{\"ok\":true,\"next_wake\":false}");
        assertThat(taking.wakes()).hasSize(1);
        retries(server);
    }

    /** The same wake comes again until it is taken. */
    private void retries(URI server) {
        refusing.answer(wake -> Receiver.Reply.DONE);
        await().atMost(LONGEST_WAIT)
                .until(() -> acked(get(server, REFUSED)).equals("0000000000000000_0000000000000003"));
        assertThat(refusing.wakes()).hasSizeGreaterThan(1);
        assertThat(refusing.wakes())
                .extracting(Receiver.Wake::id)
                .containsOnly(refusing.wake(0).id());
    }

    private static String acked(JsonNode subscription) {
        return subscription.path("streams").path(0).path("acked_offset").asString("");
    }

    private void put(URI server, String stream, String body) throws IOException, InterruptedException {
        assertThat(send(server, "PUT", "/" + stream, "", body).statusCode()).isEqualTo(201);
    }

    private void subscribe(URI server, String id, String how) throws IOException, InterruptedException {
        String body = "{%s,\"pattern\":\"half/%s/*\",\"lease_ttl_ms\":%d}".formatted(how, id, LEASE_MILLIS);
        assertThat(send(server, "PUT", "/__ds/subscriptions/" + id, "", body).statusCode())
                .isEqualTo(201);
    }

    private JsonNode get(URI server, String id) throws IOException, InterruptedException {
        return body(send(server, "GET", "/__ds/subscriptions/" + id, "", ""));
    }

    private HttpResponse<String> report(
            URI server, String path, String id, JsonNode wake, String token, int position, String more)
            throws IOException, InterruptedException {
        String body =
                "{\"wake_id\":%s,\"generation\":%s,\"acks\":[{\"stream\":\"half/%s/a\",\"offset\":\"%016d_%016d\"}]%s}"
                        .formatted(wake.get("wake_id"), wake.get("generation"), id, 0, position, more);
        return send(
                server,
                "POST",
                "/__ds/subscriptions/" + id + path,
                wake.get(token).asString(),
                body);
    }

    private HttpResponse<String> send(URI server, String method, String path, String token, String body)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(server.resolve("/v1/stream" + path))
                .header("Content-Type", "application/json")
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (!token.isEmpty()) {
            request.header("Authorization", "Bearer " + token);
        }
        return client.send(request.build(), BodyHandlers.ofString());
    }

    private static JsonNode body(HttpResponse<String> response) {
        return JsonMapper.shared().readTree(response.body());
    }

    @Override
    public void close() {
        client.shutdownNow();
        taking.close();
        refusing.close();
    }
}
