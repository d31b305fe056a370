package dev.holdfast.http.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.access.Authorizer;
import dev.holdfast.access.Resource;
import dev.holdfast.error.HoldfastException.NotAuthorized;
import dev.holdfast.http.Json;
import dev.holdfast.http.RunningServer;
import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamReader;
import dev.holdfast.stream.StreamWriter;
import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnRequest;
import dev.holdfast.turn.TurnSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

final class ConsoleRoutesTest {

    private static final NodeFigures NODE = new NodeFigures() {
        @Override
        public String version() {
            return "test";
        }

        @Override
        public Duration uptime() {
            return Duration.ofSeconds(61);
        }

        @Override
        public long heapBytes() {
            return 5;
        }

        @Override
        public int connections() {
            return 2;
        }

        @Override
        public int watchedSessions() {
            return 3;
        }

        @Override
        public OptionalLong storeBytes() {
            return OptionalLong.of(4096);
        }
    };

    @TempDir
    private Path folder;

    private Holdfast holdfast;

    @BeforeEach
    void open() {
        holdfast = Holdfast.open(folder);
    }

    @AfterEach
    void close() {
        holdfast.close();
    }

    private JsonNode console(Authorizer authorizer) throws Exception {
        try (RunningServer server = RunningServer.start(new ConsoleRoutes(holdfast, authorizer, NODE)::addTo)) {
            return Json.MAPPER.readTree(server.get("/api/v1/console").body());
        }
    }

    @Test
    void live_streams_are_shown_with_how_far_behind_their_slowest_reader_is() throws Exception {
        StreamWriter writer = holdfast.streams().open("live");
        for (int i = 0; i < 5; i++) {
            writer.append("chunk");
        }
        StreamWriter settled = holdfast.streams().open("settled");
        assertThat(settled.settle(Settlement.completed())).isNotNull();
        try (StreamReader slow = holdfast.streams().tail("live", 1);
                StreamReader quick = holdfast.streams().tail("live", 5)) {
            JsonNode streams = console(Authorizer.allowAll()).get("streams");
            assertThat(streams).hasSize(1);
            assertThat(streams.get(0).get("name").stringValue()).isEqualTo("live");
            assertThat(streams.get(0).get("chunks").intValue()).isEqualTo(5);
            assertThat(streams.get(0).get("readers").intValue()).isEqualTo(2);
            assertThat(streams.get(0).get("maxLagChunks").intValue()).isEqualTo(4);
            assertThat(slow.read(1 << 20).chunks()).hasSize(4);
            assertThat(console(Authorizer.allowAll())
                            .get("streams")
                            .get(0)
                            .get("maxLagChunks")
                            .intValue())
                    .isZero();
            assertThat(quick.tail()).isEqualTo(5);
        }
        assertThat(console(Authorizer.allowAll())
                        .get("streams")
                        .get(0)
                        .get("readers")
                        .intValue())
                .isZero();
    }

    @Test
    void the_server_tells_of_itself() throws Exception {
        JsonNode body = console(Authorizer.allowAll());
        assertThat(body.get("version").stringValue()).isEqualTo("test");
        assertThat(body.get("connections").intValue()).isEqualTo(2);
        assertThat(body.get("store").get("bytes").longValue()).isEqualTo(4096);
        assertThat(body.get("node").get("uptimeSeconds").longValue()).isEqualTo(61);
        assertThat(body.get("turns")).isEmpty();
        assertThat(body.get("recoveries")).isEmpty();
    }

    @Test
    void turns_are_shown_with_the_titles_of_their_conversations() throws Exception {
        holdfast.close();
        Agent asking = turn -> AgentResult.awaiting("a question");
        holdfast = Holdfast.open(
                folder,
                HoldfastSettings.defaults().withTurns(TurnSettings.defaults().withAgent("asking", asking)));
        holdfast.sessions().create("s").title("Bread");
        holdfast.turns().start("s", TurnRequest.of("t", "asking")).await();
        JsonNode turn = console(Authorizer.allowAll()).get("turns").get(0);
        assertThat(turn.get("sessionId").stringValue()).isEqualTo("s");
        assertThat(turn.get("title").stringValue()).isEqualTo("Bread");
    }

    @Test
    void a_stream_that_a_turn_writes_leads_to_its_conversation() throws Exception {
        holdfast.close();
        CountDownLatch written = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        Agent writing = turn -> {
            turn.emit("\"chunk\"");
            written.countDown();
            over.await();
            return AgentResult.completed();
        };
        holdfast = Holdfast.open(
                folder,
                HoldfastSettings.defaults().withTurns(TurnSettings.defaults().withAgent("writing", writing)));
        holdfast.sessions().create("s").title("Bread");
        holdfast.streams().open("own").append("chunk");
        try {
            holdfast.turns().start("s", TurnRequest.of("t", "writing"));
            written.await();
            JsonNode streams = console(Authorizer.allowAll()).get("streams");
            assertThat(streams).hasSize(2);
            assertThat(streams.valueStream().map(each -> each.get("sessionId") + " " + each.get("title")))
                    .containsExactlyInAnyOrder("\"s\" \"Bread\"", "null null");
        } finally {
            over.countDown();
        }
    }

    @Test
    void nobody_sees_what_is_another_tenants_or_not_theirs_to_read() throws Exception {
        holdfast.streams("other").open("foreign").append("chunk");
        holdfast.streams().open("mine").append("chunk");
        holdfast.streams().open("secret").append("chunk");
        Authorizer discreet = (principal, action, resource) -> {
            if (resource.equals(new Resource.OneStream("secret"))) {
                throw new NotAuthorized("No.");
            }
        };
        JsonNode streams = console(discreet).get("streams");
        assertThat(streams).hasSize(1);
        assertThat(streams.get(0).get("name").stringValue()).isEqualTo("mine");
    }

    @Test
    void who_may_not_list_gets_nothing() throws Exception {
        Authorizer closed = (principal, action, resource) -> {
            throw new NotAuthorized("No.");
        };
        try (RunningServer server = RunningServer.start(new ConsoleRoutes(holdfast, closed, NODE)::addTo)) {
            assertThat(server.get("/api/v1/console").statusCode()).isEqualTo(403);
        }
    }
}
