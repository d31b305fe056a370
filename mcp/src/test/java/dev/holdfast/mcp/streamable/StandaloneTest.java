package dev.holdfast.mcp.streamable;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The stream of what belongs to no request, and who may read a stream at once. */
@Timeout(60)
final class StandaloneTest {

    private static final String NEWS = "notifications/news";

    @TempDir
    private Path folder;

    private Site site;

    @BeforeEach
    void open() throws Exception {
        site = Site.open(folder);
    }

    @AfterEach
    void close() {
        site.close();
    }

    private void tell(String text) {
        site.transport().notifyClients(NEWS, Map.of("data", text)).block();
    }

    @Test
    void it_begins_with_an_id_and_carries_what_the_server_says_by_itself() throws Exception {
        try (Client client = Client.of(site);
                Sse stream = client.get(null)) {
            Sse.Event priming = stream.next().orElseThrow();
            assertThat(priming.isPriming()).isTrue();
            assertThat(priming.retry()).isEqualTo("1000");
            tell("hello");
            Sse.Event event = stream.next().orElseThrow();
            assertThat(event.text()).isEqualTo("hello");
            assertThat(event.json().path("method").asString("")).isEqualTo(NEWS);
            assertThat(event.id()).isNotEqualTo(priming.id());
        }
    }

    @Test
    void older_clients_are_given_no_event_without_data() throws Exception {
        for (String revision : List.of(Client.WITHOUT_PRIMING, Client.WITH_BATCHES)) {
            try (Client client = Client.of(site, revision);
                    Sse stream = client.get(null)) {
                tell("hello");
                Sse.Event first = stream.next().orElseThrow();
                assertThat(first.text()).isEqualTo("hello");
                assertThat(first.id()).isNotBlank();
                assertThat(stream.lastRetry()).isNull();
            }
        }
    }

    @Test
    void what_is_said_while_nobody_listens_is_stored_and_fetched_by_whoever_comes_first() throws Exception {
        try (Client client = Client.of(site)) {
            tell("one");
            tell("two");
            try (Sse stream = client.get(null)) {
                assertThat(stream.messages(2)).extracting(Sse.Event::text).containsExactly("one", "two");
            }
        }
    }

    @Test
    void who_comes_back_with_an_id_is_given_what_was_said_in_between() throws Exception {
        try (Client client = Client.of(site)) {
            String last;
            try (Sse stream = client.get(null)) {
                tell("one");
                stream.message();
                last = stream.lastId();
            }
            tell("two");
            try (Sse stream = client.get(last)) {
                assertThat(stream.message().text()).isEqualTo("two");
                tell("three");
                assertThat(stream.message().text()).isEqualTo("three");
            }
        }
    }

    /** That a connection went on after a message does not prove that the message arrived. */
    @Test
    void who_comes_without_an_id_is_given_again_what_was_written_to_a_connection_and_not_proven() throws Exception {
        try (Client client = Client.of(site)) {
            try (Sse stream = client.get(null)) {
                tell("one");
                stream.message();
                tell("two");
                stream.message();
            }
            try (Sse stream = client.get(null)) {
                assertThat(stream.messages(2)).extracting(Sse.Event::text).containsExactly("one", "two");
            }
        }
    }

    @Test
    void an_id_proves_what_came_before_it_and_that_is_not_given_again_to_who_comes_without_one() throws Exception {
        try (Client client = Client.of(site)) {
            String last;
            try (Sse stream = client.get(null)) {
                tell("one");
                stream.message();
                last = stream.lastId();
                tell("two");
                stream.message();
            }
            client.get(last).close();
            try (Sse stream = client.get(null)) {
                assertThat(stream.message().text()).isEqualTo("two");
            }
        }
    }

    @Test
    void what_was_proven_is_known_after_a_restart() throws Exception {
        try (Client client = Client.of(site)) {
            String last;
            try (Sse stream = client.get(null)) {
                tell("one");
                tell("two");
                stream.message();
                last = stream.lastId();
            }
            try (Sse stream = client.get(last)) {
                stream.next();
                try (Sse fresh = client.get(null)) { // ends the one before, and what it proved is stored
                    fresh.next();
                    assertThat(stream.rest()).extracting(Sse.Event::text).isSubsetOf("two");
                }
            }
            site.close();
            site = Site.open(folder);
            try (Client moved = client.moved(site);
                    Sse stream = moved.get(null)) {
                assertThat(stream.message().text()).isEqualTo("two");
            }
        }
    }

    /** Clients that never send an id could not prove anything, and are not told the same for ever. */
    @Test
    void who_comes_without_an_id_again_and_again_is_given_a_message_on_a_few_connections_that_went_on_after_it()
            throws Exception {
        try (Client client = Client.of(site)) {
            tell("the first");
            int repeated = 0;
            boolean again = true;
            for (int i = 0; again && i < 50; i++) {
                try (Sse stream = client.get(null)) {
                    String text = stream.message().text();
                    again = text.equals("the first");
                    repeated += again ? 1 : 0;
                    tell("round " + i);
                    while (!text.equals("round " + i)) {
                        text = stream.message().text();
                    }
                    tell("end of round " + i); // the connection goes on after the message before
                    while (!text.equals("end of round " + i)) {
                        text = stream.message().text();
                    }
                }
            }
            assertThat(again).isFalse();
            assertThat(repeated).isGreaterThanOrEqualTo(Standalone.REPEATS);
        }
    }

    @Test
    void what_connections_carried_last_that_were_lost_comes_again_however_many_they_were() throws Exception {
        try (Client client = Client.of(site)) {
            tell("one");
            for (int i = 0; i < 3 * Standalone.REPEATS; i++) {
                try (Sse lost = client.get(null)) {
                    assertThat(lost.message().text()).isEqualTo("one");
                }
            }
        }
    }

    /** A completed write is not delivery. */
    @Test
    void who_comes_without_an_id_is_given_again_what_was_written_last_to_a_connection_that_is_lost() throws Exception {
        try (Client client = Client.of(site)) {
            Sse lost = client.get(null);
            lost.next();
            tell("one"); // is written, and never read
            lost.close();
            try (Sse stream = client.get(null)) {
                assertThat(stream.message().text()).isEqualTo("one");
            }
        }
    }

    @Test
    void a_fresh_connection_supersedes_the_one_there_was_which_is_told_when_to_come_back_and_ends_cleanly()
            throws Exception {
        try (Client client = Client.of(site);
                Sse stale = client.get(null)) {
            stale.next();
            try (Sse fresh = client.get(null)) {
                assertThat(fresh.status()).isEqualTo(200);
                assertThat(stale.next()).isEqualTo(Optional.empty());
                assertThat(stale.lastRetry()).isEqualTo("1000");
                tell("hello");
                assertThat(fresh.message().text()).isEqualTo("hello");
            }
        }
    }

    @Test
    void a_resumed_connection_supersedes_the_stale_one_of_its_post_and_is_preferred_from_then_on() throws Exception {
        try (Client client = Client.of(site);
                Sse stale = client.script(1, "a")) {
            String priming = String.valueOf(stale.next().orElseThrow().id());
            try (Sse standalone = client.get(null);
                    Sse resumed = client.get(priming)) {
                standalone.next();
                assertThat(stale.next()).isEqualTo(Optional.empty());
                site.script("a").log("to the resumed one");
                site.script("a").finish("done");
                assertThat(resumed.message().text()).isEqualTo("to the resumed one");
                assertThat(Client.answer(resumed.message())).isEqualTo("done");
                tell("hello"); // the standalone connection was not superseded by that
                assertThat(standalone.message().text()).isEqualTo("hello");
            }
        }
    }

    @Test
    void each_message_is_on_exactly_one_stream() throws Exception {
        try (Client client = Client.of(site);
                Sse standalone = client.get(null);
                Sse a = client.script(1, "a");
                Sse b = client.script(2, "b")) {
            site.script("a").log("of a");
            site.script("b").log("of b");
            tell("of all");
            site.script("a").finish("a done");
            site.script("b").finish("b done");
            assertThat(a.rest())
                    .extracting(e -> e.isAnswer() ? Client.answer(e) : e.text())
                    .containsExactly("of a", "a done");
            assertThat(b.rest())
                    .extracting(e -> e.isAnswer() ? Client.answer(e) : e.text())
                    .containsExactly("of b", "b done");
            tell("end");
            assertThat(standalone.messages(2)).extracting(Sse.Event::text).containsExactly("of all", "end");
        }
    }

    @Test
    void a_response_is_refused_by_the_standalone_stream() throws Exception {
        CompletableFuture<Void> sent =
                standaloneOf(site).send(io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse.result(1, Map.of()));
        assertThat(sent).isCompletedExceptionally();
    }

    private static Standalone standaloneOf(Site site) {
        dev.holdfast.mcp.events.McpEventStore events = dev.holdfast.mcp.events.McpEventStore.of(site.holdfast());
        StreamableSettings settings = StreamableSettings.defaults();
        Services services = new Services(
                settings,
                "default",
                events,
                new SessionStore(site.holdfast().properties(), settings),
                io.modelcontextprotocol.json.McpJsonDefaults.getMapper(),
                head -> io.modelcontextprotocol.common.McpTransportContext.EMPTY,
                dev.holdfast.access.Authorizer.allowAll(),
                new dev.holdfast.http.Deadlines(settings.time(), dev.holdfast.store.Timers.system()),
                new OtherNodes(dev.holdfast.cluster.Peers.none(), "default"),
                new java.util.concurrent.atomic.AtomicBoolean());
        return new Standalone(services, "s");
    }

    @Test
    void who_tells_a_session_that_is_not_there_is_told_so() {
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> site.transport()
                        .notifyClient("nobody", NEWS, Map.of("data", "x"))
                        .block())
                .isInstanceOf(dev.holdfast.error.HoldfastException.InvalidArgument.class)
                .hasMessageContaining("Unknown session");
    }

    /** Or an application could hold up every commit there is. */
    @Test
    void what_follows_a_message_runs_on_a_virtual_thread_and_not_on_the_one_that_stored_it() throws Exception {
        CompletableFuture<Void> stored = new CompletableFuture<>();
        CompletableFuture<Thread> followed = new CompletableFuture<>();
        var sent = new LogTransport(SdkJson.mapper(), message -> stored)
                .sendMessage(new io.modelcontextprotocol.spec.McpSchema.JSONRPCNotification(NEWS, Map.of()))
                .doOnTerminate(() -> followed.complete(Thread.currentThread()))
                .toFuture();
        stored.complete(null);
        sent.join();
        assertThat(followed.join().isVirtual()).isTrue();

        try (Client client = Client.of(site)) {
            CompletableFuture<Thread> told = new CompletableFuture<>();
            site.transport()
                    .notifyClient(client.session(), NEWS, Map.of("data", "x"))
                    .doOnTerminate(() -> told.complete(Thread.currentThread()))
                    .toFuture()
                    .join();
            assertThat(told.join().isVirtual()).isTrue();
        }
    }

    @Test
    void all_sessions_are_told_those_that_are_only_stored_as_well() throws Exception {
        try (Client a = Client.of(site);
                Client b = Client.of(site)) {
            site.close();
            site = Site.open(folder);
            tell("to all");
            for (Client client : List.of(a.moved(site), b.moved(site))) {
                try (client;
                        Sse stream = client.get(null)) {
                    assertThat(stream.message().text()).isEqualTo("to all");
                }
            }
        }
    }

    @Test
    void what_is_sent_after_the_restart_follows_for_who_comes_back_with_an_id() throws Exception {
        try (Client client = Client.of(site)) {
            String last;
            try (Sse stream = client.get(null)) {
                tell("one");
                stream.message();
                last = stream.lastId();
            }
            tell("two");
            site.close();
            site = Site.open(folder);
            tell("three");
            try (Client moved = client.moved(site);
                    Sse stream = moved.get(last)) {
                assertThat(stream.messages(2)).extracting(Sse.Event::text).containsExactly("two", "three");
            }
        }
    }

    @Test
    void deleting_the_session_ends_its_connections_cleanly() throws IOException, InterruptedException {
        try (Client client = Client.of(site);
                Sse stream = client.get(null)) {
            stream.next();
            assertThat(client.delete()).isEqualTo(204);
            assertThat(stream.rest()).isEmpty();
        }
    }
}
