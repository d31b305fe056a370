package dev.holdfast.mcp.streamable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.store.Time;
import dev.holdfast.testkit.SimCoordination;
import io.modelcontextprotocol.server.McpSyncServerExchange;
import io.modelcontextprotocol.spec.McpSchema;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A session on three nodes of a cluster, each request of which comes to another one. */
@Timeout(240)
final class OtherNodeTest {

    private static final int SHARDS = 8;

    @TempDir
    private Path folder;

    private final SimCoordination database = new SimCoordination(SHARDS, Time.system(), Site.LEASE);
    private final List<AutoCloseable> open = new ArrayList<>();
    private final List<Long> asleep = new ArrayList<>();
    private Site a;
    private Site b;
    private Site c;
    private Client atA;
    private Client atB;
    private Client atC;

    @BeforeEach
    void begin() throws Exception {
        a = node("a", plan -> plan);
        b = node("b", plan -> plan);
        c = node("c", plan -> plan);
        atA = with(Client.of(a));
        atB = with(atA.moved(b));
        atC = with(atA.moved(c));
    }

    @AfterEach
    void end() throws Exception {
        asleep.forEach(database::wake); // or they could not be closed
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    private Site node(String name, UnaryOperator<Site.Plan> change) throws Exception {
        Site.Plan plan =
                new Site.Plan().node(database, name).transport(builder -> builder.rerun(OtherNodeTest::isRerun));
        return with(new Site(folder, change.apply(plan)));
    }

    private static boolean isRerun(RerunRequest request) {
        return "again".equals(request.arguments().get("name"));
    }

    private <T extends AutoCloseable> T with(T opened) {
        open.add(opened);
        return opened;
    }

    private static ConditionFactory await() {
        return Awaitility.await().atMost(Duration.ofMinutes(2));
    }

    private static String priming(Sse stream) throws Exception {
        return String.valueOf(stream.next().orElseThrow().id());
    }

    /** Until the node has heard that another one is dead. */
    private void kill(Site node, String name) {
        long id = database.members().entrySet().stream()
                .filter(member -> member.getValue().equals(name))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseThrow();
        database.putToSleep(id);
        asleep.add(id);
        for (Site other : List.of(a, b, c)) {
            if (other != node) {
                await().until(() -> !other.holdfast().peers().isAlive(id));
            }
        }
    }

    private static String ask(McpSyncServerExchange exchange) {
        return exchange.createElicitation(
                        McpSchema.ElicitFormRequest.builder("Really?", Map.of("type", "object", "properties", Map.of()))
                                .build())
                .action()
                .name();
    }

    private static void accept(Client client, Sse.Event question) throws Exception {
        assertThat(question.json().path("method").asString()).isEqualTo("elicitation/create");
        try (Sse answer =
                client.post("{\"jsonrpc\":\"2.0\",\"id\":\"%s\",\"result\":{\"action\":\"accept\",\"content\":{}}}"
                        .formatted(question.json().path("id").asString()))) {
            assertThat(answer.status()).isEqualTo(202);
        }
    }

    @Test
    void a_call_at_one_node_is_resumed_at_another_and_its_question_answered_at_a_third() throws Exception {
        String priming;
        try (Sse stream = atB.script(1, "a")) {
            priming = priming(stream);
            b.script("a").log("first");
            assertThat(stream.message().text()).isEqualTo("first");
        }
        CompletableFuture<String> answer = b.script("a").later(OtherNodeTest::ask);
        try (Sse stream = atC.get(priming)) {
            assertThat(stream.message().text()).isEqualTo("first");
            accept(atA, stream.message());
            assertThat(answer.join()).isEqualTo("ACCEPT");
            b.script("a").finish("done");
            assertThat(Client.answer(stream.message())).isEqualTo("done");
            assertThat(stream.next()).isEmpty();
        }
        assertThat(a.calls() + b.calls() + c.calls()).isEqualTo(1);
    }

    @RepeatedTest(5) // a race: once in a few times
    void a_call_is_cancelled_at_another_node_than_runs_it() throws Exception {
        try (Sse stream = atA.script(1, "a")) {
            stream.next();
            a.script("a").awaitStarted();
            try (Sse cancelled = atB.post(
                    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}")) {
                assertThat(cancelled.status()).isEqualTo(202);
            }
            a.script("a").awaitInterrupted();
            assertThat(stream.rest()).isEmpty();
        }
    }

    @Test
    void an_id_that_runs_on_two_nodes_is_cancelled_on_neither() throws Exception {
        try (Sse first = atA.script(1, "a");
                Sse second = atB.script(1, "b")) {
            first.next();
            second.next();
            a.script("a").awaitStarted();
            b.script("b").awaitStarted();
            atC.post("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}")
                    .close();
            a.script("a").finish("a is done");
            b.script("b").finish("b is done");
            assertThat(Client.answer(first.message())).isEqualTo("a is done");
            assertThat(Client.answer(second.message())).isEqualTo("b is done");
        }
    }

    @Test
    void a_connection_at_another_node_supersedes_the_stale_one() throws Exception {
        try (Sse stale = atA.script(1, "a")) {
            String priming = priming(stale);
            try (Sse resumed = atB.get(priming)) {
                assertThat(stale.rest()).isEmpty(); // it ends by itself, and with no answer
                a.script("a").finish("done");
                assertThat(Client.answer(resumed.message())).isEqualTo("done");
            }
        }
    }

    @Test
    void a_tool_ends_the_connection_that_its_client_has_at_another_node() throws Exception {
        String priming;
        try (Sse stream = atA.script(1, "a")) {
            priming = priming(stream);
        }
        try (Sse elsewhere = atB.get(priming)) {
            elsewhere.next();
            boolean unused = a.script("a").with(exchange -> {
                dev.holdfast.mcp.McpConnection.of(exchange.transportContext()).close();
                return true;
            });
            assertThat(elsewhere.rest()).isEmpty();
        }
        a.script("a").finish("done");
        try (Sse stream = atC.get(priming)) {
            assertThat(Client.answer(stream.message())).isEqualTo("done");
        }
    }

    @Test
    void a_session_deleted_at_one_node_is_gone_at_all_and_its_calls_stop() throws Exception {
        try (Sse stream = atA.script(1, "a")) {
            stream.next();
            a.script("a").awaitStarted();
            assertThat(atB.delete()).isEqualTo(204);
            a.script("a").awaitInterrupted();
            assertThat(stream.rest()).isEmpty();
        }
        for (Client each : List.of(atA, atB, atC)) {
            try (Sse answer = each.script(2, "b")) {
                assertThat(answer.status()).isEqualTo(404);
            }
        }
    }

    @Test
    void what_is_subscribed_and_set_at_one_node_holds_at_all() throws Exception {
        request(atA, "logging/setLevel", "{\"level\":\"emergency\"}");
        request(atB, "resources/subscribe", "{\"uri\":\"test://a\"}");
        request(atA, "resources/subscribe", "{\"uri\":\"test://b\"}");
        request(atC, "resources/unsubscribe", "{\"uri\":\"test://a\"}");
        try (Sse stream = atC.script(1, "a")) {
            stream.next();
            c.script("a").log("is below the level, and so nobody is told");
            c.script("a").finish("done");
            assertThat(Client.answer(stream.message())).isEqualTo("done");
        }
        request(atB, "ping", "{}"); // which no node need be told of
        try (Sse standalone = atA.get(null)) {
            standalone.next();
            b.server().notifyResourcesUpdated(new McpSchema.ResourcesUpdatedNotification("test://a"));
            b.server().notifyResourcesUpdated(new McpSchema.ResourcesUpdatedNotification("test://b"));
            assertThat(standalone.message().json().path("params").path("uri").asString())
                    .isEqualTo("test://b");
        }
    }

    @Test
    void a_session_that_subscribes_is_told_of_changes_by_nodes_at_which_it_never_was() throws Exception {
        try (Client elsewhere = Client.of(a);
                Sse standalone = elsewhere.get(null)) {
            standalone.next();
            int before = c.sessions();
            request(elsewhere, "resources/subscribe", "{\"uri\":\"test://a\"}");
            await().until(() -> c.sessions() > before); // by itself
            try (Client atOther = elsewhere.moved(c)) { // it is entered by the time that it answers
                request(atOther, "ping", "{}");
            }
            c.server().notifyResourcesUpdated(new McpSchema.ResourcesUpdatedNotification("test://a"));
            assertThat(standalone.message().json().path("params").path("uri").asString())
                    .isEqualTo("test://a");
        }
    }

    private static void request(Client client, String method, String params) throws Exception {
        try (Sse answer = client.post(
                "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"%s\",\"params\":%s}".formatted(method, params))) {
            assertThat(answer.rest().getLast().json().has("result")).isTrue();
        }
    }

    @Test
    void a_node_that_joins_leaves_calls_alone_that_run_on_others() throws Exception {
        try (Sse stream = atA.script(1, "a")) {
            stream.next();
            a.script("a").awaitStarted();
            Site later = node("d", plan -> plan);
            try (Client atD = atA.moved(later);
                    Sse done = atD.call(2, "echo", "{\"text\":\"x\"}")) { // by then it has looked
                assertThat(done.rest()).isNotEmpty();
            }
            await().until(() -> later.holdfast().shardsHeld() > 0);
            a.script("a").finish("done");
            assertThat(Client.answer(stream.message())).isEqualTo("done");
        }
    }

    @Test
    void the_calls_of_a_dead_node_end_once_or_run_again_once_as_after_a_restart_ONE_OUTCOME() throws Exception {
        String lost;
        String again;
        try (Sse first = atA.script(1, "lost");
                Sse second = atA.script(2, "again")) {
            lost = priming(first);
            again = priming(second);
            a.script("lost").log("before");
            a.script("again").awaitStarted();
        }
        kill(a, "a");
        try (Sse ended = atB.get(lost);
                Sse rerun = atC.get(again)) {
            assertThat(ended.message().text()).isEqualTo("before");
            assertThat(Client.reason(ended.message().json())).isEqualTo("server-restarted");
            assertThat(ended.next()).isEmpty();
            await().until(() -> b.calls() + c.calls() == 1);
            b.script("again").finish("run again");
            c.script("again").finish("run again");
            assertThat(Client.answer(rerun.message())).isEqualTo("run again");
            assertThat(rerun.next()).isEmpty();
        }
        a.script("lost").finish("too late");
        a.script("again").finish("too late");
        try (Sse still = atC.get(lost)) {
            assertThat(still.messages(2)).hasSize(2);
            assertThat(still.next()).isEmpty();
        }
    }

    @Test
    void a_node_that_leaves_in_order_hands_its_calls_on() throws Exception {
        String priming;
        try (Sse stream = atA.script(1, "a")) {
            priming = priming(stream);
            a.script("a").awaitStarted();
        }
        a.close();
        try (Sse stream = atB.get(priming)) {
            assertThat(Client.reason(stream.message().json())).isEqualTo("server-restarted");
        }
    }
}
