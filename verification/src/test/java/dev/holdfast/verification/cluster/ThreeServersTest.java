package dev.holdfast.verification.cluster;

import static dev.holdfast.verification.rig.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.models.loopback.Pace;
import dev.holdfast.verification.cluster.Conversation.Seen;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Three servers on one database: whatever is begun at one is watched at another, ended from a third, and the same at all of them. */
final class ThreeServersTest {

    private static final JsonMapper JSON = new JsonMapper();
    private static final int NUMBERS = 12;
    private static final int SAID_FIRST = 4;
    private static final int APPENDS = 24;
    private static final int APPENDS_AT_ONCE = 8;
    private static final int MAX_MINUTES = 2;
    private static final String TURN = "turn-1";

    @TempDir
    private Path scratch;

    private Servers start(CountingModel model, Learning learning) {
        return new Servers(scratch, model.options(learning));
    }

    /** A server and those next to it, for the clients of one session. */
    private record Roles(Client begins, Client watches, Client ends) implements AutoCloseable {
        static Roles beginningAt(Servers servers, int first) {
            return new Roles(only(servers, first), only(servers, first + 1), only(servers, first + 2));
        }

        private static Client only(Servers servers, int server) {
            return new Client(any -> servers.uri(server % Servers.COUNT), server);
        }

        @Override
        public void close() {
            begins.close();
            watches.close();
            ends.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_turn_begun_at_one_server_is_watched_at_another_and_ended_from_a_third_in_every_shard_NO_SEAM_ONE_OUTCOME(
            Learning learning) throws Exception {
        try (CountingModel model = new CountingModel(Pace.gated());
                Servers servers = start(model, learning);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<String> sessions = Servers.namesOfAllShards("chat-");
            for (int shard = 0; shard < sessions.size(); shard++) {
                try (Roles roles = Roles.beginningAt(servers, shard)) {
                    talk(model, threads, roles, sessions.get(shard), shard % 2 == 0);
                }
            }
        }
    }

    private static void talk(CountingModel model, ExecutorService threads, Roles roles, String session, boolean stopped)
            throws Exception {
        Conversation begins = new Conversation(roles.begins(), session, NUMBERS);
        Conversation watches = new Conversation(roles.watches(), session, NUMBERS);
        Conversation ends = new Conversation(roles.ends(), session, NUMBERS);
        begins.create();
        begins.begin(TURN);
        Future<?> watching = threads.submit(() -> {
            watches.follow(TURN, false);
            return true;
        });
        try (InputStream chat = roles.ends()
                        .watch(0, "/api/chat/%s/stream".formatted(session))
                        .body();
                Events events = new Events(chat)) {
            model.begin(SAID_FIRST);
            await().until(() -> watches.deltas() == SAID_FIRST);
            StringBuilder shown = new StringBuilder();
            String first = CountingModel.counted(SAID_FIRST);
            while (shown.length() < first.length()) {
                shown.append(textOf(events));
            }
            assertThat(shown).hasToString(first);
            if (stopped) {
                ends.stop(TURN);
            } else {
                model.say(NUMBERS - SAID_FIRST);
                model.end();
            }
            watching.get(MAX_MINUTES, TimeUnit.MINUTES);
            Seen expected =
                    stopped ? new Seen("stopped", first) : new Seen("completed", CountingModel.counted(NUMBERS));
            assertThat(watches.seen()).containsEntry(TURN, expected);
            for (Events.Event event = events.next(); event != null; event = events.next()) {
                shown.append(textOf(event));
            }
            assertThat(shown).as("what the chat shows").hasToString(expected.text());
        }
        if (stopped) {
            model.awaitStopped(); // so that it takes none of the next one's numbers
        }
        for (Client each : List.of(roles.begins(), roles.watches(), roles.ends())) {
            Said.check(each, 0, watches);
        }
    }

    private static String textOf(Events events) throws IOException {
        Events.Event event = events.next();
        assertThat(event).as("a chat's stream has an end mark").isNotNull();
        return event == null ? "" : textOf(event);
    }

    private static String textOf(Events.Event event) {
        if (event.data().equals("[DONE]")) {
            return "";
        }
        JsonNode chunk = JSON.readTree(event.data());
        return chunk.path("type").asString("").equals("text-delta")
                ? chunk.path("delta").asString("")
                : "";
    }

    @ParameterizedTest
    @EnumSource
    void what_is_appended_at_two_servers_reaches_the_reader_at_a_third_once_and_in_order_in_every_shard_NO_SEAM(
            Learning learning) throws Exception {
        try (CountingModel model = new CountingModel(Pace.unlimited());
                Servers servers = start(model, learning);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<String> streams = Servers.namesOfAllShards("stream-");
            for (int shard = 0; shard < streams.size(); shard++) {
                try (Roles roles = Roles.beginningAt(servers, shard)) {
                    append(threads, roles, streams.get(shard));
                }
            }
        }
    }

    private static void append(ExecutorService threads, Roles roles, String stream) throws Exception {
        StreamWriter first = new StreamWriter(roles.begins(), stream);
        StreamTail tail = new StreamTail(roles.watches(), stream);
        first.create();
        Future<?> reading = threads.submit(() -> {
            tail.followToTheEnd();
            return true;
        });
        for (int number = 0; number < APPENDS; number++) {
            new StreamWriter(number % 2 == 0 ? roles.begins() : roles.ends(), stream, number).append();
            int written = number + 1;
            if (written % APPENDS_AT_ONCE == 0) {
                await().until(() -> tail.count() >= written);
            }
        }
        first.finish();
        reading.get(MAX_MINUTES, TimeUnit.MINUTES);
        List<String> written = IntStream.range(0, APPENDS)
                .mapToObj(number -> StreamWriter.message(stream, number))
                .toList();
        assertThat(tail.messages()).isEqualTo(written);
        for (Client each : List.of(roles.begins(), roles.watches(), roles.ends())) {
            assertThat(Said.stream(each, 0, stream)).isEqualTo(written);
        }
    }
}
