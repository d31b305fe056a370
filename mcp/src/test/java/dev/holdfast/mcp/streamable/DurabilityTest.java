package dev.holdfast.mcp.streamable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.mcp.FaultyStore;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** VISIBLE-IS-DURABLE: nothing is on a connection before its commit, and what is not committed was never there. */
@Timeout(60)
final class DurabilityTest {

    private static final int ROUND_TRIPS = 20;

    @TempDir
    private Path folder;

    private @Nullable FaultyStore faulty;
    private Site site;
    private Client client;

    @BeforeEach
    void open() throws Exception {
        site = new Site(folder, new Site.Plan().store(store -> {
                    FaultyStore made = new FaultyStore(store);
                    faulty = made;
                    return made;
                }));
        client = Client.of(site);
    }

    @AfterEach
    void close() {
        store().release();
        client.close();
        site.close();
    }

    private FaultyStore store() {
        return java.util.Objects.requireNonNull(faulty);
    }

    /** Requests that need no commit are answered meanwhile: whatever was sent would have arrived. */
    private void goRound() throws IOException, InterruptedException {
        for (int i = 0; i < ROUND_TRIPS; i++) {
            try (Sse answer = client.get("no id")) {
                assertThat(answer.status()).isEqualTo(400);
            }
        }
    }

    @Test
    void no_byte_of_a_message_is_written_while_its_commit_is_under_way() throws Exception {
        try (Sse stream = client.script(1, "a")) {
            stream.next();
            site.script("a").awaitStarted();
            for (int i = 0; i < 5; i++) {
                store().hold();
                int number = i;
                CompletableFuture<Boolean> sent = site.script("a").later(exchange -> {
                    Site.log(exchange, "message " + number);
                    return true;
                });
                store().awaitHeld();
                goRound();
                assertThat(stream.response().body().available()).isZero();
                assertThat(sent).isNotDone();
                store().release();
                assertThat(stream.message().text()).isEqualTo("message " + i);
                assertThat(sent.join()).isTrue();
            }
        }
    }

    @Test
    void no_answer_begins_and_no_tool_runs_while_the_request_is_not_durable() throws Exception {
        store().hold();
        try (HttpClient http = HttpClient.newHttpClient()) {
            CompletableFuture<HttpResponse<String>> answer = http.sendAsync(
                    client.posting(Client.callJson(1, "script", "{\"name\":\"a\"}"))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            store().awaitHeld();
            goRound();
            assertThat(answer).isNotDone();
            assertThat(site.calls()).isZero();
            store().release();
            site.script("a").finish("done");
            assertThat(answer.join().body()).contains("done");
        }
    }

    @Test
    void a_cancellation_is_not_accepted_before_it_is_durable() throws Exception {
        try (Sse stream = client.script(1, "a");
                HttpClient http = HttpClient.newHttpClient()) {
            site.script("a").awaitStarted();
            store().hold();
            CompletableFuture<HttpResponse<String>> answer = http.sendAsync(
                    client.posting(
                                    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}")
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            store().awaitHeld();
            goRound();
            assertThat(answer).isNotDone();
            store().release();
            assertThat(answer.join().statusCode()).isEqualTo(202);
            assertThat(stream.rest()).isEmpty();
        }
    }

    @Test
    void a_request_that_could_not_be_stored_is_refused_and_was_not_run() throws Exception {
        store().failCommits(1);
        try (Sse answer = client.script(1, "a")) {
            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.response().headers().firstValue("Retry-After")).isPresent();
        }
        assertThat(site.calls()).isZero();
        assertThat(site.holdfast().streams().list(dev.holdfast.stream.StreamListing.all()))
                .isEmpty();
    }

    @Test
    void a_session_that_could_not_be_stored_has_no_id() throws Exception {
        store().failCommits(1);
        try (Client fresh = new Client(site.url());
                Sse answer = fresh.post(
                        "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"x\",\"version\":\"1\"}}}")) {
            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.response().headers().firstValue("Mcp-Session-Id")).isEmpty();
        }
    }

    @Test
    void a_message_that_could_not_be_stored_is_an_error_for_the_tool_and_nothing_for_the_client() throws Exception {
        try (Sse stream = client.script(1, "a")) {
            site.script("a").log("one");
            store().failCommits(1);
            boolean refused = site.script("a").with(exchange -> {
                try {
                    Site.log(exchange, "lost");
                    return false;
                } catch (RuntimeException e) {
                    return true;
                }
            });
            assertThat(refused).isTrue();
            site.script("a").log("two");
            site.script("a").finish("done");
            List<Sse.Event> events = stream.rest();
            assertThat(events).hasSize(3);
            assertThat(events.subList(0, 2)).extracting(Sse.Event::text).containsExactly("one", "two");
        }
    }

    @Test
    void an_answer_that_could_not_be_stored_is_stored_later_and_comes_once() throws Exception {
        try (Sse stream = client.script(1, "a")) {
            site.script("a").awaitStarted();
            store().failCommits(3);
            site.script("a").finish("done");
            List<Sse.Event> events = stream.rest();
            assertThat(events).hasSize(1);
            assertThat(Client.answer(events.getFirst())).isEqualTo("done");
            assertThat(store().commitsStillToFail()).isZero();
        }
    }
}
