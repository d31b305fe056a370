package dev.holdfast.mcp.streamable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.LimitExceeded;
import dev.holdfast.testkit.MovedTime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** BOUNDED: each number has a limit with a name, and whoever meets it is told. Lives end, but not those in use. */
@Timeout(60)
final class BoundsTest {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private static final String INITIALIZE =
            "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"x\",\"version\":\"1\"}}}";

    @TempDir
    private Path folder;

    private Site site(java.util.function.UnaryOperator<StreamableLimits> limits) throws Exception {
        return new Site(
                folder, new Site.Plan().settings(settings -> settings.withLimits(limits.apply(settings.limits()))));
    }

    private static void assertComeBack(Sse answer, int status, String reason) throws Exception {
        try (answer) {
            assertThat(answer.status()).isEqualTo(status);
            assertThat(answer.response()
                            .headers()
                            .firstValueAsLong("Retry-After")
                            .orElse(0))
                    .isPositive();
            assertThat(Client.reason(answer.json())).isEqualTo(reason);
        }
    }

    @Test
    void a_session_that_runs_too_many_calls_is_told_to_wait_and_others_are_not() throws Exception {
        try (Site site = site(limits -> limits.withMaxCallsPerSession(2));
                Client client = Client.of(site);
                Client other = Client.of(site);
                Sse a = client.script(1, "a");
                Sse b = client.script(2, "b")) {
            assertComeBack(client.script(3, "c"), 429, "too-many-calls");
            try (Sse stream = other.call(1, "echo", "{\"text\":\"x\"}")) {
                assertThat(stream.rest()).hasSize(1);
            }
            site.script("a").finish("done");
            a.rest();
            Awaitility.await().atMost(PATIENCE).untilAsserted(() -> {
                try (Sse stream = client.call(4, "echo", "{\"text\":\"x\"}")) {
                    assertThat(stream.status()).isEqualTo(200);
                }
            });
            site.script("b").finish("done");
            b.rest();
        }
    }

    @Test
    void idle_sessions_make_room_in_memory_and_come_back() throws Exception {
        try (Site site = site(limits -> limits.withMaxSessions(3))) {
            List<Client> clients = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                clients.add(Client.of(site));
            }
            for (Client client : clients) {
                try (client;
                        Sse stream = client.call(1, "echo", "{\"text\":\"x\"}")) {
                    assertThat(stream.rest()).hasSize(1);
                }
            }
            assertThat(site.sessions()).isGreaterThan(12);
        }
    }

    @Test
    void when_all_sessions_are_busy_a_new_one_is_told_to_wait_and_no_call_is_lost() throws Exception {
        try (Site site = site(limits -> limits.withMaxSessions(2));
                Client a = Client.of(site);
                Client b = Client.of(site);
                Sse first = a.script(1, "a");
                Sse second = b.script(1, "b");
                Client third = new Client(site.url())) {
            Awaitility.await().atMost(PATIENCE).untilAsserted(() -> {
                Sse answer = third.post(
                        "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"x\",\"version\":\"1\"}}}");
                assertComeBack(answer, 503, "too-many-sessions");
            });
            site.script("a").finish("of a");
            site.script("b").finish("of b");
            assertThat(Client.answer(first.message())).isEqualTo("of a");
            assertThat(Client.answer(second.message())).isEqualTo("of b");
        }
    }

    @Test
    void more_sessions_than_are_kept_are_not_begun_until_some_end_or_expire() throws Exception {
        MovedTime time = new MovedTime();
        Site.Plan plan = new Site.Plan()
                .time(time)
                .settings(s -> s.withSessionLife(Duration.ofHours(1))
                        .withLimits(s.limits().withMaxStoredSessions(2)));
        try (Site site = new Site(folder, plan);
                Client a = Client.of(site);
                Client b = Client.of(site);
                Client c = new Client(site.url())) {
            assertComeBack(c.post(INITIALIZE), 503, "too-many-stored-sessions");
            try (Sse stream = b.call(1, "echo", "{\"text\":\"x\"}")) {
                assertThat(stream.rest()).hasSize(1);
            }
            assertThat(a.delete()).isEqualTo(204);
            c.initialize(Client.NEWEST);
            assertComeBack(a.session(null).post(INITIALIZE), 503, "too-many-stored-sessions");
            time.advance(Duration.ofHours(2));
            a.initialize(Client.NEWEST);
        }
    }

    @Test
    void a_tool_that_sends_without_end_is_stopped_from_that_and_can_still_answer() throws Exception {
        try (Site site = site(limits -> limits.withMaxCallBytes(10_000));
                Client client = Client.of(site);
                Sse stream = client.script(1, "a")) {
            String text = "x".repeat(4_000);
            site.script("a").log(text);
            site.script("a").log(text);
            Throwable refused = site.script("a").<Throwable>with(exchange -> {
                try {
                    Site.log(exchange, text);
                    return new IllegalStateException("was sent");
                } catch (RuntimeException e) {
                    return e;
                }
            });
            assertThat(refused).isInstanceOf(LimitExceeded.class).hasMessageContaining("maxCallBytes");
            site.script("a").finish("done");
            assertThat(stream.rest()).hasSize(3);
        }
    }

    @Test
    void subscriptions_of_a_session_are_bounded() throws Exception {
        try (Site site = Site.open(folder);
                Client client = Client.of(site)) {
            for (int i = 0; i <= StreamableLimits.MAX_SUBSCRIPTIONS; i++) {
                try (Sse stream = client.post(
                        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/subscribe\",\"params\":{\"uri\":\"test://%d\"}}"
                                .formatted(i))) {
                    assertThat(stream.rest().getFirst().json().has("error"))
                            .isEqualTo(i == StreamableLimits.MAX_SUBSCRIPTIONS);
                }
            }
        }
    }

    @Test
    void the_stream_and_the_session_of_a_call_outlive_everything_while_it_runs() throws Exception {
        MovedTime time = new MovedTime();
        Site.Plan plan = new Site.Plan()
                .time(time)
                .settings(s -> s.withSessionLife(Duration.ofHours(1)).withAnswerLife(Duration.ofHours(1)));
        try (Site site = new Site(folder, plan);
                Client client = Client.of(site)) {
            String priming;
            try (Sse stream = client.script(1, "a")) {
                priming = String.valueOf(stream.next().orElseThrow().id());
            }
            site.script("a").awaitStarted();
            String name = callStream(site);
            for (int i = 0; i < 40; i++) {
                java.time.Instant before = expiry(site, name);
                time.advance(Duration.ofMinutes(20));
                Awaitility.await()
                        .atMost(PATIENCE)
                        .until(() -> expiry(site, name).isAfter(before));
            }
            site.script("a").log("after a night");
            site.script("a").finish("done");
            try (Sse stream = client.get(priming)) {
                assertThat(stream.rest()).hasSize(2);
            }
        }
    }

    private static String callStream(Site site) {
        return site.holdfast()
                .streams()
                .list(dev.holdfast.stream.StreamListing.all())
                .getFirst()
                .name();
    }

    private static java.time.Instant expiry(Site site, String stream) {
        return java.util.Objects.requireNonNull(
                site.holdfast().streams().status(stream).orElseThrow().expiresAt());
    }

    @Test
    void a_session_that_is_not_used_for_its_life_is_gone_and_one_in_use_is_not() throws Exception {
        MovedTime time = new MovedTime();
        Site.Plan plan = new Site.Plan().time(time).settings(s -> s.withSessionLife(Duration.ofHours(1)));
        try (Site site = new Site(folder, plan);
                Client used = Client.of(site);
                Client unused = Client.of(site)) {
            for (int i = 0; i < 5; i++) {
                time.advance(Duration.ofMinutes(25));
                try (Sse stream = used.call(1, "echo", "{\"text\":\"x\"}")) {
                    assertThat(stream.rest()).hasSize(1);
                }
            }
            try (Sse answer = unused.get(null)) {
                assertThat(answer.status()).isEqualTo(404);
            }
        }
    }

    @Test
    void a_session_does_not_end_while_its_client_is_connected_also_without_heartbeats() throws Exception {
        MovedTime time = new MovedTime();
        Site.Plan plan = new Site.Plan()
                .time(time)
                .settings(s -> s.withSessionLife(Duration.ofHours(1)).withHeartbeat(Duration.ZERO));
        try (Site site = new Site(folder, plan);
                Client client = Client.of(site);
                Sse stream = client.get(null)) {
            stream.next();
            String name = "mcp/" + client.session() + "/standalone";
            for (int i = 0; i < 8; i++) {
                java.time.Instant before = expiry(site, name);
                time.advance(Duration.ofMinutes(20));
                Awaitility.await()
                        .atMost(PATIENCE)
                        .until(() -> expiry(site, name).isAfter(before));
            }
            try (Sse answer = client.call(1, "echo", "{\"text\":\"x\"}")) {
                assertThat(answer.status()).isEqualTo(200);
            }
        }
    }

    @Test
    void there_is_no_timer_while_nobody_is_connected_and_nothing_runs() throws Exception {
        MovedTime time = new MovedTime();
        try (Site site = new Site(folder, new Site.Plan().time(time));
                Client client = Client.of(site)) {
            int idle = time.waitingTimers(); // of the store, for what expires
            try (Sse stream = client.script(1, "a")) {
                site.script("a").awaitStarted();
                assertThat(time.waitingTimers()).isGreaterThan(idle);
                site.script("a").finish("done");
                stream.rest();
            }
            Awaitility.await().atMost(PATIENCE).until(() -> time.waitingTimers() <= idle + 1);
        }
    }

    @Test
    void limits_are_at_least_one() {
        assertThatThrownBy(() -> StreamableLimits.defaults().withMaxSessions(0))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
