package dev.holdfast.mcp.streamable;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Calls of tools, while their client is there and while it is away. */
@Timeout(60)
final class CallTest {

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
}
