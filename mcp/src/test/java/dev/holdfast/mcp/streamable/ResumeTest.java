package dev.holdfast.mcp.streamable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.stream.Retention;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** EXPLICIT-CURSOR: each last event id that a client can come with has an answer of its own. */
@Timeout(60)
final class ResumeTest {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @TempDir
    private Path folder;

    private @Nullable Site open;

    @AfterEach
    void close() {
        if (open != null) {
            open.close();
        }
    }

    private Site site(Site.Plan plan) throws Exception {
        Site site = new Site(folder, plan);
        open = site;
        return site;
    }

    private Site site() throws Exception {
        return site(new Site.Plan());
    }

    /** EVERY-CURSOR for a finished stream: prefix(k) + resume(k) is what was sent, for every k. */
    @Test
    void a_finished_stream_is_replayed_from_every_position_and_ends_cleanly() throws Exception {
        try (Client client = Client.of(site())) {
            List<Sse.Event> all = new ArrayList<>();
            try (Sse stream = client.call(1, "count", "{\"n\":30}")) {
                all.add(stream.next().orElseThrow());
                all.addAll(stream.rest());
            }
            assertThat(all).hasSize(32);
            assertThat(all).extracting(Sse.Event::id).doesNotHaveDuplicates();
            for (int k = 0; k < all.size(); k++) {
                try (Sse resumed = client.get(all.get(k).id())) {
                    assertThat(resumed.status()).isEqualTo(200);
                    Sse.Event priming = resumed.next().orElseThrow();
                    assertThat(priming.isPriming()).isTrue();
                    assertThat(all).extracting(Sse.Event::id).doesNotContain(priming.id());
                    assertThat(resumed.rest())
                            .extracting(Sse.Event::id)
                            .isEqualTo(all.subList(k + 1, all.size()).stream()
                                    .map(Sse.Event::id)
                                    .toList());
                }
            }
        }
    }

    /** EVERY-CURSOR and NO-SEAM while the tool is sending: cuts at seeded places, until the answer is there. */
    @Test
    void a_client_that_is_cut_again_and_again_while_the_tool_sends_has_each_message_once_and_in_order()
            throws Exception {
        Site site = site();
        for (int seed = 0; seed < 12; seed++) {
            Random random = new Random(seed);
            String revision = seed % 2 == 0 ? Client.NEWEST : Client.WITHOUT_PRIMING;
            try (Client client = Client.of(site, revision)) {
                List<String> seen = new ArrayList<>();
                String last = null;
                Sse stream = client.call(1, "count", "{\"n\":300,\"pad\":%d}".formatted(random.nextInt(2000)));
                int cuts = 0;
                while (true) {
                    int take = 1 + random.nextInt(40);
                    boolean over = false;
                    for (int i = 0; i < take && !over; i++) {
                        Sse.Event event = stream.message();
                        last = event.id();
                        over = event.isAnswer();
                        seen.add(over ? "answer" : event.text().replaceAll("x", ""));
                    }
                    if (over) {
                        assertThat(stream.rest()).isEmpty();
                        stream.close();
                        break;
                    }
                    stream.close();
                    cuts++;
                    stream = client.get(last);
                }
                List<String> expected = new ArrayList<>();
                for (int i = 0; i < 300; i++) {
                    expected.add(Integer.toString(i));
                }
                expected.add("answer");
                assertThat(seen).as("seed %d", seed).isEqualTo(expected);
                assertThat(cuts).isPositive();
            }
        }
    }

    /** A completed write is not delivery: the stream is there until its life is over, however often it was read. */
    @Test
    void the_answer_stays_when_the_tool_finished_while_nobody_was_there_and_after_it_was_read() throws Exception {
        Site site = site();
        try (Client client = Client.of(site)) {
            String priming;
            try (Sse stream = client.script(1, "a")) {
                priming = String.valueOf(stream.next().orElseThrow().id());
            }
            site.script("a").log("unseen");
            site.script("a").finish("done");
            for (int i = 0; i < 3; i++) {
                try (Sse resumed = client.get(priming)) {
                    List<Sse.Event> rest = resumed.rest();
                    assertThat(rest).hasSize(2);
                    assertThat(rest.getFirst().text()).isEqualTo("unseen");
                    assertThat(Client.answer(rest.getLast())).isEqualTo("done");
                }
            }
        }
    }

    @Test
    void the_id_of_the_answer_itself_gives_a_clean_end_and_nothing_again() throws Exception {
        try (Client client = Client.of(site(), Client.WITHOUT_PRIMING)) {
            String last;
            try (Sse stream = client.call(1, "echo", "{\"text\":\"x\"}")) {
                assertThat(stream.rest()).hasSize(1);
                last = stream.lastId();
            }
            try (Sse resumed = client.get(last)) {
                assertThat(resumed.status()).isEqualTo(200);
                assertThat(resumed.rest()).isEmpty();
            }
        }
    }

    @Test
    void an_id_replays_its_own_stream_and_nothing_of_its_siblings() throws Exception {
        Site site = site();
        try (Client client = Client.of(site)) {
            String a;
            String b;
            try (Sse first = client.script(1, "a");
                    Sse second = client.script(2, "b")) {
                a = String.valueOf(first.next().orElseThrow().id());
                b = String.valueOf(second.next().orElseThrow().id());
            }
            site.script("a").log("of a");
            site.script("b").log("of b");
            site.script("b").finish("b done");
            site.script("a").finish("a done");
            try (Sse first = client.get(a);
                    Sse second = client.get(b)) {
                assertThat(texts(first.rest())).containsExactly("of a", "a done");
                assertThat(texts(second.rest())).containsExactly("of b", "b done");
            }
        }
    }

    private static List<String> texts(List<Sse.Event> events) {
        return events.stream()
                .map(event -> event.isAnswer() ? Client.answer(event) : event.text())
                .toList();
    }

    @Test
    void what_is_no_id_of_this_server_or_was_altered_is_a_400_with_a_reason() throws Exception {
        try (Client client = Client.of(site())) {
            String id;
            try (Sse stream = client.call(1, "echo", "{\"text\":\"x\"}")) {
                stream.rest();
                id = stream.lastId();
            }
            char last = id.charAt(id.length() - 1);
            String altered = id.substring(0, id.length() - 1) + (last == 'A' ? 'Q' : 'A');
            for (String wrong : List.of("x", "1", altered, client.session() + "_1", id + id)) {
                assertRefused(client, wrong, 400, "wrong-event-id");
            }
        }
    }

    private static void assertRefused(Client client, String id, int status, String reason) throws Exception {
        try (Sse answer = client.get(id)) {
            assertThat(answer.status()).isEqualTo(status);
            assertThat(answer.response().headers().firstValue("Content-Type")).hasValue("application/json");
            assertThat(Client.reason(answer.json())).isEqualTo(reason);
        }
    }

    @Test
    void an_id_of_another_session_is_a_403_and_replays_nothing() throws Exception {
        Site site = site();
        try (Client a = Client.of(site);
                Client b = Client.of(site)) {
            String id;
            try (Sse stream = a.call(1, "echo", "{\"text\":\"secret\"}")) {
                stream.rest();
                id = stream.lastId();
            }
            try (Sse answer = b.get(id)) {
                assertThat(answer.status()).isEqualTo(403);
                String body = answer.body();
                assertThat(Client.reason(Client.json(body))).isEqualTo("foreign-event-id");
                assertThat(body).doesNotContain("secret");
            }
        }
    }

    @Test
    void a_stream_whose_life_is_over_is_a_410() throws Exception {
        Site site = site(new Site.Plan().settings(s -> s.withAnswerLife(Duration.ofMillis(300))));
        try (Client client = Client.of(site)) {
            String id;
            try (Sse stream = client.call(1, "echo", "{\"text\":\"x\"}")) {
                id = String.valueOf(stream.next().orElseThrow().id());
                stream.rest();
            }
            Awaitility.await()
                    .atMost(PATIENCE)
                    .pollInterval(Duration.ofSeconds(1))
                    .untilAsserted(() -> {
                        assertRefused(client, id, 410, "stream-gone");
                    });
        }
    }

    @Test
    void a_standalone_position_that_was_trimmed_is_a_410_and_never_a_silent_gap() throws Exception {
        Site site = site(new Site.Plan().settings(s -> s.withStandalone(Retention.ofBytes(1))));
        try (Client client = Client.of(site)) {
            String id;
            try (Sse stream = client.get(null)) {
                id = String.valueOf(stream.next().orElseThrow().id());
            }
            String large = "x".repeat(500 << 10);
            for (int i = 0; i < 4; i++) {
                site.transport()
                        .notifyClients("notifications/large", java.util.Map.of("data", large))
                        .block();
            }
            Awaitility.await().atMost(PATIENCE).untilAsserted(() -> {
                try (Sse answer = client.get(id)) {
                    assertThat(answer.status()).isEqualTo(410);
                    assertThat(Client.reason(answer.json())).isEqualTo("events-trimmed");
                }
            });
        }
    }

    @Test
    void an_unknown_session_is_a_404_so_that_the_client_starts_anew() throws Exception {
        Site site = site();
        try (Client client = Client.of(site)) {
            String id;
            try (Sse stream = client.call(1, "echo", "{\"text\":\"x\"}")) {
                stream.rest();
                id = stream.lastId();
            }
            client.session("unknown");
            assertRefused(client, id, 404, "session-not-found");
        }
    }

    @Test
    void two_readers_of_two_streams_and_one_that_takes_nothing_do_not_hold_up_a_tool() throws Exception {
        Site site = site();
        try (Client client = Client.of(site)) {
            Sse slow = client.script(1, "slow"); // is not read
            String text = "y".repeat(64 << 10);
            for (int i = 0; i < 200; i++) {
                site.script("slow").log(text); // 12 MB, which no socket buffers
            }
            site.script("slow").finish("done");
            try (Sse other = client.call(2, "echo", "{\"text\":\"x\"}")) {
                assertThat(other.rest()).hasSize(1);
            }
            List<Sse.Event> all = slow.rest();
            assertThat(all).hasSize(201);
            assertThat(Client.answer(all.getLast())).isEqualTo("done");
            slow.close();
        }
    }
}
