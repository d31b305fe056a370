package dev.holdfast.mcp.streamable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.mcp.events.EventLog;
import dev.holdfast.testkit.MovedTime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What a stopped server has left is looked after, however long it takes; and sessions make room whatever they have subscribed to. */
@Timeout(60)
final class RecoveryTest {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @TempDir
    private Path folder;

    private final MovedTime time = new MovedTime();
    private Parts parts;

    @BeforeEach
    void open() {
        parts = new Parts(
                folder,
                StreamableSettings.defaults()
                        .withTime(time, () -> time)
                        .withLimits(StreamableLimits.defaults().withMaxSessions(2)));
    }

    @AfterEach
    void close() {
        parts.close();
    }

    private Recovery recovery(boolean rerun) {
        return new Recovery(parts.services, parts.table, parts.starting, request -> rerun);
    }

    private JsonNode onlyMessage(String session) {
        Awaitility.await().atMost(PATIENCE).until(() -> parts.ended(session, "call"));
        List<JsonNode> messages = parts.messages(session, "call");
        assertThat(messages).hasSize(1);
        return messages.getFirst();
    }

    @Test
    void it_tries_again_while_the_store_is_busy() {
        parts.store("s", List.of());
        EventLog unused = parts.stored("s", "call");
        parts.store.failCommits(2);

        recovery(false).run();

        assertThat(Client.reason(onlyMessage("s"))).isEqualTo("server-restarted");
    }

    @Test
    void it_tries_again_while_there_is_no_room_for_the_session() throws Exception {
        LiveSession a = parts.session("a");
        LiveSession b = parts.session("b");
        parts.store("s", List.of());
        EventLog unused = parts.stored("s", "call");
        Thread recovery = Thread.ofVirtual().start(recovery(true));
        a.leave();
        recovery.join();
        assertThat(onlyMessage("s").has("result")).isTrue();
        assertThat(parts.calls()).isEqualTo(1);
        b.leave();
    }

    @Test
    void the_call_of_a_session_that_cannot_be_restored_ends_with_the_error() {
        parts.store("s", "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":7}", List.of());
        EventLog unused = parts.stored("s", "call");

        recovery(true).run();

        assertThat(Client.reason(onlyMessage("s"))).isEqualTo("server-restarted");
    }

    @Test
    void sessions_with_subscriptions_make_room_too_but_last() {
        parts.store("subscribed", List.of("test://a"));
        parts.table.enter("subscribed", null).leave();
        parts.session("plain").leave();
        parts.session("third").leave();
        assertThat(parts.table.isResident("subscribed")).isTrue();
        assertThat(parts.table.isResident("plain")).isFalse();

        parts.store("subscribed too", List.of("test://a"));
        time.advance(Duration.ofSeconds(1));
        parts.table.enter("subscribed too", null).leave();
        parts.session("fifth").leave();

        assertThat(parts.table.isResident("subscribed")).isFalse();
        assertThat(parts.table.enter("subscribed", null).record().subscriptions())
                .containsExactly("test://a");
    }

    @Test
    void sessions_whose_life_is_over_make_room_before_all_others() {
        parts.store("over", List.of("test://a"));
        parts.table.enter("over", null).leave();
        time.advance(Duration.ofHours(25));
        parts.session("used").leave();
        parts.session("third").leave();

        assertThat(parts.table.isResident("over")).isFalse();
        assertThat(parts.table.isResident("used")).isTrue();
    }
}
