package dev.holdfast.http.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.access.ApiKeys;
import dev.holdfast.access.Authorizer;
import dev.holdfast.http.EventStream;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.RunningServer;
import dev.holdfast.http.Trust;
import dev.holdfast.http.api.SessionRoutes;
import dev.holdfast.http.sse.SseSettings;
import dev.holdfast.node.NodeSettings;
import dev.holdfast.store.Placement;
import dev.holdfast.store.Time;
import dev.holdfast.testkit.SimCoordination;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnSettings;
import dev.holdfast.uimessage.UiMessageAssembler;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The event stream of a connection is one node's, and its commands come to another: no request needs to find its way back. */
@InProcess("Two nodes of one process share a simulated database; `ThreeServersTest` has servers on a real one")
final class OtherNodeTest {

    private static final JsonMapper JSON = JsonMapper.shared();
    private static final String ALICE = "alice-has-this-key";
    private static final String BOB = "bob-has-another-key";
    private static final Duration LEASE = Duration.ofSeconds(2);

    private final SimCoordination database = new SimCoordination(8, Time.system(), LEASE);
    private final List<AutoCloseable> open = new ArrayList<>();
    private RunningServer a;
    private RunningServer b;

    @BeforeEach
    void start() throws IOException {
        a = node("a");
        b = node("b");
    }

    private RunningServer node(String name) throws IOException {
        TurnSettings turns = TurnSettings.defaults()
                .withAssembler(new UiMessageAssembler())
                .withAgent("default", turn -> {
                    turn.emit("{\"type\":\"text-start\",\"id\":\"1\"}".getBytes(StandardCharsets.UTF_8));
                    turn.emit("{\"type\":\"text-delta\",\"id\":\"1\",\"delta\":\"hello\"}"
                            .getBytes(StandardCharsets.UTF_8));
                    turn.emit("{\"type\":\"text-end\",\"id\":\"1\"}".getBytes(StandardCharsets.UTF_8));
                    if (turn.attempt() == 1 && turn.sessionId().startsWith("slow-")) {
                        new CountDownLatch(1).await(); // until it is interrupted
                    }
                    return AgentResult.completed();
                });
        Holdfast holdfast = Holdfast.join(
                database,
                HoldfastSettings.defaults().withTurns(turns),
                NodeSettings.named(name).withLease(LEASE));
        open.add(holdfast);
        HttpLimits limits = HttpLimits.defaults();
        SessionTransport transport = new SessionTransport(
                holdfast, Authorizer.allowAll(), TransportSettings.of(SseSettings.defaults(), limits, "default"));
        Trust trust = new Trust(
                Holdfast.DEFAULT_TENANT, ApiKeys.of(Holdfast.DEFAULT_TENANT, List.of(ALICE, BOB)), Set.of(), Set.of());
        RunningServer server = RunningServer.start(
                routes -> {
                    new SessionRoutes(holdfast, Authorizer.allowAll()).addTo(routes);
                    transport.addTo(routes);
                },
                trust,
                limits);
        open.add(server);
        return server;
    }

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    @Test
    void commands_reach_the_connection_from_whatever_node_and_turns_stream_down_it_G6() throws Exception {
        try (EventStream events = connect()) {
            String id = welcome(events);
            for (int i = 0; i < 8; i++) { // sessions of both nodes
                RunningServer other = i % 2 == 0 ? a : b;
                String session = "session-" + i;
                HttpResponse<String> sent = command(other, id, ALICE, """
                        {"type": "send", "id": "1", "session": "%s", "create": true,
                         "turn": {"message": {"id": "m", "text": "Hi"}}}""".formatted(session));
                assertThat(sent.statusCode()).as(sent.body()).isEqualTo(202);
                HttpResponse<String> watched = command(
                        i % 3 == 0 ? b : a,
                        id,
                        ALICE,
                        "{\"type\": \"watch\", \"id\": \"2\", \"session\": \"%s\"}".formatted(session));
                assertThat(watched.statusCode()).as(watched.body()).isEqualTo(200);
                await(
                        events,
                        frame -> frame.toString().contains("hello")
                                && frame.toString().contains(session));
            }
            assertThat(command(b, id, ALICE, "{\"type\":\"probe\",\"id\":\"3\",\"nonce\":\"from afar\"}")
                            .statusCode())
                    .isEqualTo(200);
            await(events, frame -> frame.toString().contains("from afar"));
        }
    }

    @Test
    void a_connection_goes_on_when_a_session_that_it_watches_is_taken_over_by_its_node() throws Exception {
        try (EventStream events = connect()) {
            String id = welcome(events);
            long own = Long.parseLong(id.substring("conn-".length(), id.indexOf('.')), 16);
            Placement placement = new Placement(8);
            Awaitility.await()
                    .until(() -> database.holders().stream()
                                    .filter(holder -> holder.node() != own && holder.node() != 0)
                                    .count()
                            == 4);
            String far = IntStream.iterate(0, i -> i + 1)
                    .mapToObj(i -> "slow-" + i)
                    .filter(name -> database.holders()
                                    .get(placement.of(Holdfast.DEFAULT_TENANT, name))
                                    .node()
                            != own)
                    .findFirst()
                    .orElseThrow();
            command(b, id, ALICE, """
                    {"type": "send", "id": "1", "session": "%s", "create": true,
                     "turn": {"id": "turn", "message": {"id": "m", "text": "Hi"}}}""".formatted(far));
            command(a, id, ALICE, "{\"type\": \"watch\", \"id\": \"2\", \"session\": \"%s\"}".formatted(far));
            await(events, frame -> frame.toString().contains("hello"));

            long other = database.holders()
                    .get(placement.of(Holdfast.DEFAULT_TENANT, far))
                    .node();
            database.putToSleep(other);
            try {
                List<String> types = new ArrayList<>();
                await(events, frame -> {
                    types.add(frame.path("type").asString());
                    return frame.toString().contains("turn-ended");
                });
                assertThat(types).contains("events").doesNotContain("attached", "detached");
            } finally {
                database.wake(other); // or it could not be closed
            }
        }
    }

    @Test
    void another_principals_connection_and_one_that_is_gone_are_refused_on_every_node_alike() throws Exception {
        String id;
        try (EventStream events = connect()) {
            id = welcome(events);
            for (RunningServer node : List.of(a, b)) {
                HttpResponse<String> refused =
                        command(node, id, BOB, "{\"type\":\"probe\",\"id\":\"3\",\"nonce\":\"x\"}");
                assertThat(refused.statusCode()).isEqualTo(403);
                assertThat(refused.body()).contains("not-your-connection");
                HttpResponse<String> malformed = command(node, id, ALICE, "{\"type\":\"nonsense\",\"id\":\"4\"}");
                assertThat(malformed.statusCode()).isEqualTo(400);
                assertThat(malformed.body()).contains("There is no command");
            }
            assertThat(command(b, id, ALICE, "{\"type\":\"bye\",\"id\":\"5\"}").statusCode())
                    .isEqualTo(200);
            await(events, frame -> frame.toString().contains("goodbye"));
        }
        String unknown = id.substring(0, id.length() - 1) + (id.endsWith("0") ? "1" : "0");
        String ofNoNode = "conn-7fff." + "0".repeat(32);
        for (String gone : List.of(unknown, ofNoNode, "conn-" + "0".repeat(32), "x")) {
            for (RunningServer node : List.of(a, b)) {
                assertThat(command(node, gone, ALICE, "{\"type\":\"probe\",\"id\":\"3\",\"nonce\":\"x\"}")
                                .statusCode())
                        .isEqualTo(404);
            }
        }
    }

    /** Its id names a node that there is not any more, so commands for it would not reach it from other nodes. */
    @Test
    void a_connection_whose_node_had_to_join_anew_is_ended() throws Exception {
        try (EventStream events = connect()) {
            String before = welcome(events);
            long number = Long.parseLong(before.substring("conn-".length(), before.indexOf('.')), 16);
            database.putToSleep(number);
            try {
                Awaitility.await().until(() -> !database.members().containsKey(number));
            } finally {
                database.wake(number); // or it could not be closed
            }
            while (events.next().isPresent()) {
                // until it ends
            }
        }
        try (EventStream events = connect()) {
            String id = welcome(events);
            assertThat(command(b, id, ALICE, "{\"type\":\"probe\",\"id\":\"3\",\"nonce\":\"from afar\"}")
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    private EventStream connect() throws IOException, InterruptedException {
        return EventStream.open(a, SessionTransport.PATH, "Authorization", "Bearer " + ALICE);
    }

    private static String welcome(EventStream events) throws IOException {
        return frame(events).get("connection").stringValue();
    }

    private static JsonNode frame(EventStream events) throws IOException {
        return JSON.readTree(events.next().orElseThrow().data());
    }

    private static void await(EventStream events, Predicate<JsonNode> wanted) throws IOException {
        while (!wanted.test(frame(events))) {
            // what comes in between is of other tests
        }
    }

    private static HttpResponse<String> command(RunningServer node, String connection, String key, String json)
            throws IOException, InterruptedException {
        return node.client()
                .send(
                        node.request(SessionTransport.PATH + "/" + connection)
                                .header("Authorization", "Bearer " + key)
                                .header("Content-Type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString(json))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }
}
