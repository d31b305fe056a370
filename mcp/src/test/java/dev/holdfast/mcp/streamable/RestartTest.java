package dev.holdfast.mcp.streamable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.mcp.FaultyStore;
import io.modelcontextprotocol.server.McpSyncServerExchange;
import io.modelcontextprotocol.spec.McpSchema;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is left when the server stops, and how it goes on when it is started again, on another port. */
@Timeout(60)
final class RestartTest {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @TempDir
    private Path folder;

    private Site site;
    private Client client;

    @BeforeEach
    void open() throws Exception {
        site = Site.open(folder);
        client = Client.of(site);
    }

    @AfterEach
    void close() {
        client.close();
        site.close();
    }

    private void restart(Site.Plan plan) throws Exception {
        site.close();
        site = new Site(folder, plan);
        Client before = client;
        client = before.moved(site);
        before.close();
    }

    private void restart() throws Exception {
        restart(new Site.Plan());
    }

    @Test
    void a_session_goes_on_without_initialize_and_the_server_knows_what_the_client_had_said() throws Exception {
        restart();
        try (Sse stream = client.script(1, "a")) {
            assertThat(site.script("a")
                            .<String>with(exchange -> exchange.getClientInfo().name()))
                    .isEqualTo("test");
            assertThat(site.script("a")
                            .<Boolean>with(
                                    exchange -> exchange.getClientCapabilities().elicitation() != null))
                    .isTrue();
            site.script("a").finish("done");
            assertThat(Client.answer(stream.message())).isEqualTo("done");
        }
    }

    @Test
    void the_revision_that_was_agreed_on_still_holds() throws Exception {
        try (Client old = Client.of(site, Client.WITH_BATCHES)) {
            restart();
            try (Client moved = old.moved(site);
                    Sse stream = moved.post("[" + Client.callJson(1, "echo", "{\"text\":\"x\"}") + "]")) {
                assertThat(stream.next().orElseThrow().isAnswer()).isTrue();
            }
        }
    }

    @Test
    void the_logging_level_is_remembered() throws Exception {
        try (Sse answer = client.post(
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"logging/setLevel\",\"params\":{\"level\":\"emergency\"}}")) {
            assertThat(answer.rest().getFirst().json().has("result")).isTrue();
        }
        restart();
        try (Sse stream = client.call(2, "count", "{\"n\":5}")) {
            assertThat(stream.rest()).hasSize(1); // its messages are errors, which are less than emergencies
        }
    }

    @Test
    void subscriptions_are_remembered_before_the_session_is_used_again_and_so_is_their_end() throws Exception {
        for (String method : List.of("subscribe", "unsubscribe")) {
            for (String uri : method.equals("subscribe") ? List.of("test://a", "test://b") : List.of("test://b")) {
                try (Sse answer = client.post(
                        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/%s\",\"params\":{\"uri\":\"%s\"}}"
                                .formatted(method, uri))) {
                    assertThat(answer.rest().getFirst().json().has("result")).isTrue();
                }
            }
        }
        restart();
        String standalone = "mcp/" + client.session() + "/standalone";
        Awaitility.await().atMost(PATIENCE).untilAsserted(() -> {
            site.server().notifyResourcesUpdated(new McpSchema.ResourcesUpdatedNotification("test://b"));
            site.server().notifyResourcesUpdated(new McpSchema.ResourcesUpdatedNotification("test://a"));
            assertThat(site.holdfast().streams().status(standalone)).isPresent();
        });
        try (Sse stream = client.get(null)) {
            assertThat(stream.message().json().path("params").path("uri").asString())
                    .isEqualTo("test://a");
        }
    }

    @Test
    void a_finished_call_gives_its_result() throws Exception {
        String priming;
        try (Sse stream = client.call(1, "count", "{\"n\":3}")) {
            priming = String.valueOf(stream.next().orElseThrow().id());
            stream.rest();
        }
        restart();
        try (Sse stream = client.get(priming)) {
            List<Sse.Event> events = stream.rest();
            assertThat(events).hasSize(4);
            assertThat(Client.answer(events.getLast())).isEqualTo("counted 3");
        }
    }

    @Test
    void a_call_that_ran_ends_in_exactly_one_error_behind_what_it_had_sent() throws Exception {
        String priming;
        try (Sse stream = client.script(1, "a")) {
            priming = String.valueOf(stream.next().orElseThrow().id());
            site.script("a").log("one");
            site.script("a").log("two");
        }
        restart();
        for (int i = 0; i < 2; i++) {
            try (Sse stream = client.get(priming)) {
                List<Sse.Event> events = stream.rest();
                assertThat(events).hasSize(3);
                assertThat(events.subList(0, 2)).extracting(Sse.Event::text).containsExactly("one", "two");
                Sse.Event error = events.getLast();
                assertThat(error.json().path("id").asInt()).isEqualTo(1);
                assertThat(error.json().path("error").path("code").asInt()).isEqualTo(-32603);
                assertThat(error.json().path("error").path("message").asString())
                        .contains("restarted", "unknown");
                assertThat(Client.reason(error.json())).isEqualTo("server-restarted");
            }
            restart(); // which adds nothing
        }
        assertThat(site.calls()).isZero();
    }

    @Test
    void of_a_batch_only_what_was_not_answered_ends_in_an_error() throws Exception {
        try (Client old = Client.of(site, Client.WITH_BATCHES)) {
            String last;
            try (Sse stream = old.post("[%s,%s,%s]"
                    .formatted(
                            Client.callJson(1, "script", "{\"name\":\"a\"}"),
                            Client.callJson(2, "echo", "{\"text\":\"x\"}"),
                            Client.callJson(3, "script", "{\"name\":\"b\"}")))) {
                assertThat(stream.message().json().path("id").asInt()).isEqualTo(2);
                last = stream.lastId();
            }
            restart();
            try (Client moved = old.moved(site);
                    Sse stream = moved.get(last)) {
                assertThat(stream.rest())
                        .allSatisfy(
                                event -> assertThat(Client.reason(event.json())).isEqualTo("server-restarted"))
                        .extracting(event -> event.json().path("id").asInt())
                        .containsExactlyInAnyOrder(1, 3);
            }
        }
    }

    @Test
    void what_was_cancelled_of_a_batch_is_neither_answered_nor_run_again() throws Exception {
        try (Client old = Client.of(site, Client.WITH_BATCHES)) {
            String last;
            try (Sse stream = old.post("[%s,%s]"
                    .formatted(
                            Client.callJson(1, "script", "{\"name\":\"a\"}"),
                            Client.callJson(2, "script", "{\"name\":\"b\"}")))) {
                site.script("a").awaitStarted();
                site.script("b").log("one");
                stream.message();
                last = stream.lastId();
                try (Sse answer = old.post(
                        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}")) {
                    assertThat(answer.status()).isEqualTo(202);
                }
            }
            restart(new Site.Plan().transport(builder -> builder.rerun(request -> true)));
            site.script("b").finish("done");
            try (Client moved = old.moved(site);
                    Sse stream = moved.get(last)) {
                assertThat(stream.rest())
                        .extracting(event -> event.json().path("id").asInt())
                        .containsExactly(2);
            }
            assertThat(site.calls()).isEqualTo(1);
        }
    }

    @Test
    void a_call_that_may_run_twice_is_run_again_and_answered_on_the_same_stream() throws Exception {
        String priming;
        try (Sse stream = client.script(1, "a")) {
            priming = String.valueOf(stream.next().orElseThrow().id());
            site.script("a").log("before");
        }
        List<RerunRequest> asked = new ArrayList<>();
        restart(new Site.Plan()
                .transport(builder -> builder.rerun(request -> {
                    asked.add(request);
                    return "script".equals(request.tool());
                })));
        site.script("a").log("again");
        site.script("a").finish("done");
        try (Sse stream = client.get(priming)) {
            List<Sse.Event> events = stream.rest();
            assertThat(events.subList(0, 2)).extracting(Sse.Event::text).containsExactly("before", "again");
            assertThat(Client.answer(events.getLast())).isEqualTo("done");
            assertThat(events).hasSize(3);
        }
        assertThat(site.calls()).isEqualTo(1);
        assertThat(asked).hasSize(1);
        assertThat(asked.getFirst().method()).isEqualTo("tools/call");
        assertThat(asked.getFirst().arguments()).containsEntry("name", "a");
    }

    @Test
    void a_question_to_the_client_that_was_open_is_lost_with_its_call_and_a_late_answer_does_no_harm()
            throws Exception {
        String priming;
        String question;
        try (Sse stream = client.script(1, "a")) {
            priming = String.valueOf(stream.next().orElseThrow().id());
            CompletableFuture<Object> unused = site.script("a").later(RestartTest::ask);
            question = stream.message().json().path("id").asString();
        }
        restart();
        try (Sse answer = client.post(
                "{\"jsonrpc\":\"2.0\",\"id\":\"%s\",\"result\":{\"action\":\"accept\"}}".formatted(question))) {
            assertThat(answer.status()).isEqualTo(202);
        }
        try (Sse stream = client.get(priming)) {
            assertThat(stream.rest()).hasSize(2);
        }
    }

    private static Object ask(McpSyncServerExchange exchange) {
        return exchange.createElicitation(McpSchema.ElicitFormRequest.builder(
                        "Really?", java.util.Map.of("type", "object", "properties", java.util.Map.of()))
                .build());
    }

    @Test
    void a_session_that_many_ask_for_at_once_is_restored_once() throws Exception {
        restart();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<CompletableFuture<Integer>> answers = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                int id = i;
                answers.add(CompletableFuture.supplyAsync(
                        () -> {
                            try (Sse stream = client.call(id, "echo", "{\"text\":\"x\"}")) {
                                return stream.rest().size();
                            } catch (Exception e) {
                                throw new IllegalStateException(e);
                            }
                        },
                        threads));
            }
            assertThat(answers).allSatisfy(answer -> assertThat(answer.join()).isEqualTo(1));
        }
        assertThat(site.sessions()).isEqualTo(1);
    }

    @Test
    void a_session_that_could_not_be_read_is_there_at_the_next_try() throws Exception {
        List<FaultyStore> stores = new ArrayList<>();
        restart(new Site.Plan().store(store -> {
            FaultyStore faulty = new FaultyStore(store);
            stores.add(faulty);
            return faulty;
        }));
        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(
                        () -> { // recovery reads too, and is over some time
                            stores.getFirst().failReads(1);
                            try (Sse answer = client.get(null)) {
                                assertThat(answer.status()).isEqualTo(503);
                                assertThat(answer.response().headers().firstValue("Retry-After"))
                                        .isPresent();
                            }
                        });
        stores.getFirst().failReads(0);
        try (Sse stream = client.call(1, "echo", "{\"text\":\"x\"}")) {
            assertThat(Client.answer(stream.message())).isEqualTo("x");
        }
    }

    @Test
    void a_deleted_session_does_not_come_back() throws Exception {
        assertThat(client.delete()).isEqualTo(204);
        restart();
        try (Sse answer = client.get(null)) {
            assertThat(answer.status()).isEqualTo(404);
        }
    }
}
