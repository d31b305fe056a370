package dev.holdfast.mcp.streamable;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** DISCONNECT-IS-NOT-STOP; the notification is. And two POSTs that use the same id. */
@Timeout(60)
final class CancelTest {

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

    private void cancel(int id) throws Exception {
        try (Sse answer =
                client.post("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":%d}}"
                        .formatted(id))) {
            assertThat(answer.status()).isEqualTo(202);
        }
    }

    @Test
    void a_cancelled_call_is_interrupted_and_its_stream_ends_without_an_answer() throws Exception {
        try (Sse stream = client.script(1, "a")) {
            site.script("a").log("one");
            cancel(1);
            site.script("a").awaitInterrupted();
            assertThat(stream.rest()).extracting(Sse.Event::text).containsExactly("one");
            try (Sse again = client.get(stream.lastId())) {
                assertThat(again.rest()).isEmpty();
            }
        }
        try (Sse stream = client.call(1, "echo", "{\"text\":\"the id is free again\"}")) {
            assertThat(stream.rest()).hasSize(1);
        }
    }

    @Test
    void an_id_that_two_running_calls_have_cancels_neither() throws Exception {
        try (Sse a = client.script(1, "a");
                Sse b = client.script(1, "b")) {
            site.script("a").awaitStarted();
            site.script("b").awaitStarted();
            cancel(1);
            site.script("a").finish("of a");
            site.script("b").finish("of b");
            assertThat(Client.answer(a.message())).isEqualTo("of a");
            assertThat(Client.answer(b.message())).isEqualTo("of b");
        }
    }

    @Test
    void answers_of_two_calls_with_the_same_id_never_cross_and_one_does_not_end_the_other() throws Exception {
        try (Sse a = client.script(1, "a");
                Sse b = client.script(1, "b")) {
            site.script("b").log("b's");
            site.script("a").log("a's");
            site.script("a").finish("of a");
            assertThat(a.rest())
                    .extracting(e -> e.isAnswer() ? Client.answer(e) : e.text())
                    .containsExactly("a's", "of a");
            site.script("b").log("b goes on");
            site.script("b").finish("of b");
            assertThat(b.rest())
                    .extracting(e -> e.isAnswer() ? Client.answer(e) : e.text())
                    .containsExactly("b's", "b goes on", "of b");
        }
    }

    @Test
    void a_text_id_is_not_the_number_that_it_looks_like() throws Exception {
        try (Sse stream = client.script(1, "a")) {
            site.script("a").awaitStarted();
            client.post("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":\"1\"}}")
                    .close();
            site.script("a").finish("done");
            assertThat(Client.answer(stream.message())).isEqualTo("done");
        }
    }

    @Test
    void cancelling_one_of_a_batch_leaves_the_others() throws Exception {
        try (Client old = Client.of(site, Client.WITH_BATCHES);
                Sse stream = old.post("[%s,%s]"
                        .formatted(
                                Client.callJson(1, "script", "{\"name\":\"a\"}"),
                                Client.callJson(2, "script", "{\"name\":\"b\"}")))) {
            site.script("a").awaitStarted();
            site.script("b").awaitStarted();
            old.post("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}")
                    .close();
            site.script("a").awaitInterrupted();
            site.script("b").finish("of b");
            List<Sse.Event> events = stream.rest();
            assertThat(events).hasSize(1);
            assertThat(events.getFirst().json().path("id").asInt()).isEqualTo(2);
        }
    }

    @Test
    void a_client_that_goes_away_cancels_nothing() throws Exception {
        String last;
        try (Sse stream = client.script(1, "a")) {
            site.script("a").log("one");
            stream.message();
            last = stream.lastId();
        }
        for (int i = 0; i < 20; i++) {
            site.script("a").log("into the void"); // the connection is found to be gone meanwhile
        }
        assertThat(site.script("a").isInterrupted()).isFalse();
        site.script("a").finish("done");
        try (Sse stream = client.get(last)) {
            assertThat(stream.rest()).hasSize(21);
        }
    }

    @Test
    void deleting_the_session_stops_its_calls() throws Exception {
        try (Sse stream = client.script(1, "a")) {
            site.script("a").awaitStarted();
            assertThat(client.delete()).isEqualTo(204);
            site.script("a").awaitInterrupted();
            assertThat(stream.rest()).isEmpty();
        }
    }
}
