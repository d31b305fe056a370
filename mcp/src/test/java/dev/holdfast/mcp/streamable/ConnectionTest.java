package dev.holdfast.mcp.streamable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.mcp.McpConnection;
import dev.holdfast.testkit.MovedTime;
import io.modelcontextprotocol.server.McpSyncServerExchange;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Connections as such: kept alive, closed on purpose, and no more than readers. */
@Timeout(60)
final class ConnectionTest {

    @TempDir
    private Path folder;

    private static Function<McpSyncServerExchange> with(Consumer<McpConnection> work) {
        return exchange -> {
            work.accept(McpConnection.of(exchange.transportContext()));
            return true;
        };
    }

    /** For a step of a script. */
    private interface Function<T> extends java.util.function.Function<T, Boolean> {}

    @Test
    void both_kinds_of_stream_are_kept_alive_by_comments_that_are_no_events() throws Exception {
        try (Site site = new Site(folder, new Site.Plan().settings(s -> s.withHeartbeat(Duration.ofMillis(20))));
                Client client = Client.of(site);
                Sse call = client.script(1, "a");
                Sse standalone = client.get(null)) {
            call.awaitComments(3);
            standalone.awaitComments(3);
            site.script("a").finish("done");
            assertThat(Client.answer(call.message())).isEqualTo("done");
            assertThat(call.next()).as("nothing follows the answer").isEqualTo(Optional.empty());
        }
    }

    @Test
    void comments_come_after_fifteen_seconds_of_silence_and_not_before() throws Exception {
        MovedTime time = new MovedTime();
        try (Site site = new Site(folder, new Site.Plan().time(time));
                Client client = Client.of(site);
                Sse standalone = client.get(null)) {
            standalone.next();
            Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> time.waitingTimers() > 0);
            time.advance(Duration.ofMillis(14_900));
            site.transport()
                    .notifyClients("notifications/x", java.util.Map.of("data", "hello"))
                    .block();
            assertThat(standalone.message().text()).isEqualTo("hello");
            assertThat(standalone.comments()).isZero();
            time.advance(Duration.ofMillis(200)); // the old deadline: it was not silent
            Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> time.waitingTimers() > 0);
            time.advance(Duration.ofSeconds(16));
            standalone.awaitComments(1);
        }
    }

    @Test
    void a_tool_closes_its_connection_and_the_client_comes_back_for_the_rest_when_it_was_asked_to() throws Exception {
        try (Site site = Site.open(folder);
                Client client = Client.of(site)) {
            Sse stream = client.script(1, "a");
            site.script("a").log("one");
            site.script("a").with(with(connection -> connection.close(Duration.ofMillis(250))));
            assertThat(stream.rest()).extracting(Sse.Event::text).containsExactly("one");
            assertThat(stream.lastRetry()).isEqualTo("250");
            site.script("a").log("two");
            try (Sse resumed = client.get(stream.lastId())) {
                assertThat(resumed.message().text()).isEqualTo("two");
                site.script("a").with(with(McpConnection::close)); // also the one that it resumed on
                assertThat(resumed.rest()).isEmpty();
                assertThat(resumed.lastRetry()).isEqualTo("1000");
                site.script("a").with(with(McpConnection::close)); // there is none
                site.script("a").finish("done");
                try (Sse last = client.get(resumed.lastId())) {
                    assertThat(Client.answer(last.message())).isEqualTo("done");
                }
            }
        }
    }

    @Test
    void a_tool_that_closes_at_once_has_given_its_client_an_id_to_come_back_with() throws Exception {
        try (Site site = Site.open(folder);
                Client client = Client.of(site)) {
            for (int i = 0; i < 20; i++) {
                String name = "a" + i;
                var unused = site.script(name).later(with(connection -> connection.close(Duration.ZERO)));
                site.script(name).finish("done");
                try (Sse stream = client.script(1, name)) {
                    assertThat(stream.next().orElseThrow().isPriming()).isTrue();
                    List<Sse.Event> rest = stream.rest(); // the answer may have been faster
                    try (Sse resumed = client.get(stream.lastId())) {
                        List<Sse.Event> more = resumed.rest();
                        assertThat(rest.size() + more.size()).isEqualTo(1);
                    }
                }
            }
        }
    }

    @Test
    void a_client_that_knows_no_way_back_keeps_its_connection() throws Exception {
        try (Site site = Site.open(folder);
                Client client = Client.of(site, Client.WITHOUT_PRIMING);
                Sse stream = client.script(1, "a")) {
            site.script("a").with(with(McpConnection::close));
            site.script("a").finish("done");
            assertThat(Client.answer(stream.message())).isEqualTo("done");
        }
    }

    @Test
    void a_tool_knows_who_calls() throws Exception {
        try (Site site = Site.open(folder);
                Client client = Client.of(site);
                Sse stream = client.script(1, "a")) {
            String name = site.script("a")
                    .with(exchange -> McpConnection.of(exchange.transportContext())
                            .principal()
                            .name());
            assertThat(name).isEqualTo("anonymous");
            site.script("a").finish("done");
            stream.rest();
        }
    }
}
