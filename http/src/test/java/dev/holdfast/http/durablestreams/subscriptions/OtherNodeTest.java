package dev.holdfast.http.durablestreams.subscriptions;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.access.Authorizer;
import dev.holdfast.http.FrontDoor;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.Router;
import dev.holdfast.http.Trust;
import dev.holdfast.http.durablestreams.DurableStreams;
import dev.holdfast.http.durablestreams.DurableStreamsSettings;
import dev.holdfast.http.jetty.JettyServer;
import dev.holdfast.node.NodeSettings;
import dev.holdfast.store.Time;
import dev.holdfast.testkit.SimCoordination;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Subscriptions of a cluster: made at one node, woken by what is appended at others, and delivered once, also when the node that keeps them is lost. */
@Timeout(240)
final class OtherNodeTest {

    private static final JsonMapper JSON = JsonMapper.shared();
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final String PREFIX = "/v1/stream";

    private final SimCoordination database = new SimCoordination(8, Time.system(), LEASE);
    private final HttpClient client = HttpClient.newHttpClient();
    private final BlockingQueue<JsonNode> received = new LinkedBlockingQueue<>();
    private final List<AutoCloseable> open = new ArrayList<>();
    private final List<Long> asleep = new ArrayList<>();
    private HttpServer receiver;
    private Node a;
    private Node b;
    private Node c;

    /** One process. */
    private record Node(Holdfast holdfast, JettyServer jetty) {
        String base() {
            return "http://127.0.0.1:" + jetty.port() + PREFIX;
        }

        boolean keeps() {
            return holdfast.peers().holder(Holdfast.DEFAULT_TENANT, "")
                    == holdfast.peers().self();
        }
    }

    @BeforeEach
    void begin() throws IOException {
        receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        receiver.createContext("/", exchange -> {
            received.add(JSON.readTree(exchange.getRequestBody().readAllBytes()));
            byte[] answer = "{\"done\":true}".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        receiver.start();
        a = node("a");
        b = node("b");
        c = node("c");
    }

    private Node node(String name) throws IOException {
        Holdfast holdfast = Holdfast.join(
                database, HoldfastSettings.defaults(), NodeSettings.named(name).withLease(LEASE));
        open.add(holdfast);
        Subscriptions subscriptions = Subscriptions.open(
                holdfast,
                SubscriptionSettings.defaults(Holdfast.DEFAULT_TENANT, PREFIX)
                        .withLocalWebhooks(LocalWebhooks.ALLOWED));
        open.add(subscriptions);
        Authorizer authorizer = Authorizer.allowAll();
        DurableStreams wire = new DurableStreams(
                holdfast,
                authorizer,
                DurableStreamsSettings.defaults(),
                new SubscriptionRoutes(subscriptions, authorizer));
        JettyServer jetty = new JettyServer(
                "127.0.0.1",
                0,
                HttpLimits.defaults(),
                new FrontDoor(
                        Router.builder().mount(wire).build(),
                        Trust.loopback(Holdfast.DEFAULT_TENANT),
                        HttpLimits.defaults()));
        jetty.start();
        open.add(jetty);
        return new Node(holdfast, jetty);
    }

    @AfterEach
    void end() throws Exception {
        asleep.forEach(database::wake); // or they could not be closed
        receiver.stop(0);
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
        client.close();
    }

    private static ConditionFactory await() {
        return Awaitility.await().atMost(Duration.ofMinutes(2));
    }

    private HttpResponse<String> send(Node node, String method, String path, String body, String... headers)
            throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(node.base() + path))
                .header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(body));
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private void webhook(Node node, String id) throws Exception {
        HttpResponse<String> made = send(node, "PUT", "/__ds/subscriptions/" + id, """
                {"type":"webhook","pattern":"events/**","webhook":{"url":"http://127.0.0.1:%d/hook"}}""".formatted(
                        receiver.getAddress().getPort()));
        assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
    }

    private void create(Node node, String stream) throws Exception {
        assertThat(send(node, "PUT", "/" + stream, "").statusCode()).isEqualTo(201);
    }

    private void append(Node node, String stream) throws Exception {
        assertThat(send(node, "POST", "/" + stream, "{\"n\":1}").statusCode()).isEqualTo(204);
    }

    private JsonNode next() throws InterruptedException {
        return Objects.requireNonNull(received.poll(2, TimeUnit.MINUTES), "No webhook came");
    }

    private @Nullable JsonNode wakeOf(String stream, JsonNode wake) {
        for (JsonNode each : wake.path("streams")) {
            if (each.path("path").asString("").equals(stream)
                    && each.path("has_pending").asBoolean()) {
                return each;
            }
        }
        return null;
    }

    private Node keeper() {
        await().until(() -> List.of(a, b, c).stream().anyMatch(Node::keeps));
        return List.of(a, b, c).stream().filter(Node::keeps).findFirst().orElseThrow();
    }

    @Test
    void what_is_appended_at_any_node_is_delivered_once() throws Exception {
        webhook(b, "mailer");
        List<Node> nodes = List.of(a, b, c);
        for (int i = 0; i < 8; i++) { // in all shards
            create(nodes.get(i % 3), "events/" + i);
            append(nodes.get((i + 1) % 3), "events/" + i);
            JsonNode wake = next();
            while (wakeOf("events/" + i, wake) == null) {
                wake = next();
            }
        }
        await().until(() -> nodes.stream().allMatch(each -> isSettled(each, 1)));
        List<Long> generations = new ArrayList<>();
        received.forEach(wake -> generations.add(wake.path("generation").asLong()));
        assertThat(generations).doesNotHaveDuplicates();
        for (Node each : nodes) {
            JsonNode seen = JSON.readTree(
                    send(each, "GET", "/__ds/subscriptions/mailer", "").body());
            assertThat(seen.path("streams")).hasSize(8);
        }
    }

    /** Whether all of every stream is acknowledged, as a node sees it; each has so many messages. */
    private boolean isSettled(Node node, int tail) {
        try {
            JsonNode seen = JSON.readTree(
                    send(node, "GET", "/__ds/subscriptions/mailer", "").body());
            for (JsonNode each : seen.path("streams")) {
                if (!each.path("acked_offset").asString("").equals("%016d_%016d".formatted(0, tail))) {
                    return false;
                }
            }
            return true;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void workers_claim_report_and_release_at_any_node() throws Exception {
        create(a, "wakes");
        assertThat(send(a, "PUT", "/__ds/subscriptions/pool", """
                {"type":"pull-wake","pattern":"jobs/*","wake_stream":"wakes"}""").statusCode()).isEqualTo(201);
        create(c, "jobs/1");
        append(b, "jobs/1");
        await().until(() -> JSON.readTree(send(c, "GET", "/wakes", "").body()).size() == 1);
        HttpResponse<String> claimed = send(b, "POST", "/__ds/subscriptions/pool/claim", "{\"worker\":\"w\"}");
        assertThat(claimed.statusCode()).as(claimed.body()).isEqualTo(200);
        assertThat(send(c, "POST", "/__ds/subscriptions/pool/claim", "{\"worker\":\"v\"}")
                        .statusCode())
                .isEqualTo(409);
        JsonNode claim = JSON.readTree(claimed.body());
        String report = """
                {"wake_id":"%s","generation":%d,"acks":[{"stream":"jobs/1","offset":"%s"}],"done":true}""".formatted(
                        claim.path("wake_id").asString(),
                        claim.path("generation").asLong(),
                        claim.path("streams").path(0).path("tail_offset").asString());
        assertThat(send(c, "POST", "/__ds/subscriptions/pool/ack", report, "Authorization", "Bearer wrong")
                        .statusCode())
                .isEqualTo(401);
        HttpResponse<String> acked = send(
                c,
                "POST",
                "/__ds/subscriptions/pool/ack",
                report,
                "Authorization",
                "Bearer " + claim.path("token").asString());
        assertThat(acked.statusCode()).as(acked.body()).isEqualTo(200);
        assertThat(send(a, "POST", "/__ds/subscriptions/pool/claim", "{\"worker\":\"v\"}")
                        .body())
                .contains("NO_PENDING_WORK");
        assertThat(send(b, "DELETE", "/__ds/subscriptions/pool", "").statusCode())
                .isEqualTo(204);
        assertThat(send(c, "GET", "/__ds/subscriptions/pool", "").statusCode()).isEqualTo(404);
    }

    @Test
    void another_node_goes_on_when_the_one_that_keeps_them_is_lost() throws Exception {
        Node keeper = keeper();
        webhook(keeper, "mailer");
        List<Node> others =
                List.of(a, b, c).stream().filter(each -> !each.equals(keeper)).toList();
        create(others.getFirst(), "events/1");
        append(others.getLast(), "events/1");
        JsonNode before = next();
        while (wakeOf("events/1", before) == null) {
            before = next();
        }
        long id = keeper.holdfast().peers().self();
        asleep.add(id);
        database.putToSleep(id);
        append(others.getFirst(), "events/1");
        JsonNode after = next();
        while (wakeOf("events/1", after) == null
                || after.path("generation").asLong()
                        <= before.path("generation").asLong()) {
            after = next();
        }
        await().until(() -> others.stream().anyMatch(Node::keeps));
        await().until(() -> isSettled(others.getLast(), 2));
    }
}
