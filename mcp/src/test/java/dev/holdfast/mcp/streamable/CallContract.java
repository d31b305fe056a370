package dev.holdfast.mcp.streamable;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Calls of tools, while their client is there and while it is away, over any binding. */
@Timeout(60)
abstract class CallContract {

    /** The binding. */
    abstract Site.Plan plan();

    @TempDir
    private Path folder;

    private Site site;
    private Client client;

    @BeforeEach
    void open() throws Exception {
        site = new Site(folder, plan());
        client = Client.of(site);
    }

    @AfterEach
    void close() {
        client.close();
        site.close();
    }

    @Test
    void a_call_is_answered_on_a_stream_of_its_own_which_begins_with_an_id_and_ends_with_the_answer() throws Exception {
        try (Sse stream = client.call(7, "count", "{\"n\":3}")) {
            assertThat(stream.status()).isEqualTo(200);
            assertThat(stream.response().headers().firstValue("Content-Type"))
                    .hasValue("text/event-stream; charset=utf-8");
            Sse.Event first = stream.next().orElseThrow();
            assertThat(first.isPriming()).isTrue();
            assertThat(first.id()).isNotBlank();
            assertThat(first.retry()).isEqualTo("1000");
            List<Sse.Event> events = stream.rest();
            assertThat(events).hasSize(4);
            assertThat(events.subList(0, 3)).extracting(Sse.Event::text).containsExactly("0", "1", "2");
            assertThat(events.getLast().json().path("id").asInt()).isEqualTo(7);
            assertThat(Client.answer(events.getLast())).isEqualTo("counted 3");
        }
    }

    @Test
    void a_call_whose_client_is_cut_off_runs_on_and_the_rest_and_the_result_are_fetched_with_the_last_id()
            throws Exception {
        String last;
        try (Sse stream = client.script(1, "a")) {
            site.script("a").log("one");
            stream.message();
            last = stream.lastId();
        }
        site.script("a").log("two");
        assertThat(site.script("a").isInterrupted()).isFalse();
        try (Sse resumed = client.get(last)) {
            assertThat(resumed.message().text()).isEqualTo("two");
            site.script("a").log("three");
            assertThat(resumed.message().text()).isEqualTo("three");
            site.script("a").finish("done");
            assertThat(Client.answer(resumed.message())).isEqualTo("done");
            assertThat(resumed.rest()).isEmpty();
        }
    }

    @Test
    void an_answer_that_is_larger_than_can_be_stored_is_an_error_that_says_so() throws Exception {
        try (Sse stream = client.script(1, "a")) {
            site.script("a").finish("x".repeat(9 << 20));
            Sse.Event answer = stream.message();
            assertThat(Client.reason(answer.json())).isEqualTo("answer-not-sendable");
            assertThat(answer.json().path("id").asInt()).isEqualTo(1);
            assertThat(stream.rest()).isEmpty();
        }
    }

    @Test
    void an_answer_of_several_megabytes_comes_whole_and_can_be_resumed() throws Exception {
        try (Sse stream = client.script(1, "a")) {
            String priming = String.valueOf(stream.next().orElseThrow().id());
            site.script("a").log("before");
            site.script("a").finish("y".repeat(5 << 20));
            assertThat(Client.answer(stream.messages(2).getLast())).hasSize(5 << 20);
            try (Sse resumed = client.get(priming)) {
                assertThat(Client.answer(resumed.messages(2).getLast())).hasSize(5 << 20);
            }
        }
    }

    @Test
    void a_tool_that_throws_is_answered_and_the_session_goes_on() throws Exception {
        try (Sse stream = client.script(1, "a")) {
            boolean unused = site.script("a")
                    .later(exchange -> {
                        throw new IllegalStateException("the tool is broken");
                    })
                    .isDone();
            assertThat(stream.rest()).hasSize(1);
        }
        try (Sse stream = client.call(2, "echo", "{\"text\":\"x\"}")) {
            assertThat(Client.answer(stream.message())).isEqualTo("x");
        }
    }

    @Test
    void many_calls_at_once_each_have_their_own_messages() throws Exception {
        java.util.List<Sse> streams = new java.util.ArrayList<>();
        for (int i = 0; i < 20; i++) {
            streams.add(client.call(i, "count", "{\"n\":" + i + "}"));
        }
        for (int i = 0; i < 20; i++) {
            try (Sse stream = streams.get(i)) {
                List<Sse.Event> events = stream.rest();
                assertThat(events).hasSize(i + 1);
                assertThat(events.getLast().json().path("id").asInt()).isEqualTo(i);
            }
        }
    }

    @Test
    void a_standalone_stream_and_the_end_of_a_session() throws Exception {
        try (Sse stream = client.get(null)) {
            stream.next();
            site.transport()
                    .notifyClients("notifications/x", java.util.Map.of("data", "hello"))
                    .block();
            assertThat(stream.message().text()).isEqualTo("hello");
            assertThat(client.delete()).isEqualTo(204);
            assertThat(stream.rest()).isEmpty();
        }
        try (Sse answer = client.get(null)) {
            assertThat(answer.status()).isEqualTo(404);
        }
    }
}
