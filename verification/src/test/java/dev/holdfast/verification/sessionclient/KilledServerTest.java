package dev.holdfast.verification.sessionclient;

import static dev.holdfast.verification.rig.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.client.ClientState;
import dev.holdfast.client.SessionClient;
import dev.holdfast.client.Watch;
import dev.holdfast.client.message.Receipt;
import dev.holdfast.client.message.TurnDraft;
import dev.holdfast.client.message.TurnState;
import dev.holdfast.verification.rig.LastingPort;
import dev.holdfast.verification.rig.ServerProcess;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Clients of a server that is killed with SIGKILL, and of one that ends: what they have is the store's, whatever happened. */
final class KilledServerTest {

    @TempDir
    private Path folder;

    private final int port = LastingPort.find();
    private final URI uri = URI.create("http://127.0.0.1:" + port);
    private final Model model = new Model();

    @AfterEach
    void closeModel() {
        model.close();
    }

    private static Receipt answer(CompletableFuture<Receipt> receipt) {
        return receipt.orTimeout(2, TimeUnit.MINUTES).join();
    }

    private ServerProcess start() {
        return ServerProcess.start(folder, data(), port, model.options());
    }

    private Path data() {
        return folder.resolve("data");
    }

    @ParameterizedTest
    @EnumSource
    void a_turn_is_followed_through_kills_of_its_server_M77(Way way) {
        Followed near = new Followed();
        Followed far = new Followed();
        try (SessionClient client = way.client(uri);
                SessionClient other = way.client(uri)) {
            ServerProcess server = start();
            client.connect();
            CompletableFuture<Receipt> receipt =
                    client.sendCreating("chat", TurnDraft.text("Count!").withId("turn-1"));
            assertThat(answer(receipt).turn()).isEqualTo("turn-1");
            client.watch("chat", null, near);
            other.connect();
            Watch watch = other.watch("chat", null, far);
            model.begin(2);
            near.awaitPieces("turn-1", 2);
            for (int words = 2; words < 12; words += 5) {
                server.kill();
                server.close();
                await().until(() -> !(client.state() instanceof ClientState.Connected));
                server = start();
                model.say(5);
                near.awaitPieces("turn-1", Math.min(12, words + 5));
            }
            model.end();
            assertThat(near.awaitOutcome("turn-1").outcome()).isEqualTo(TurnState.COMPLETED);
            assertThat(far.awaitOutcome("turn-1").outcome()).isEqualTo(TurnState.COMPLETED);
            assertThat(near.message("turn-1")).hasValue(Model.ANSWER);
            assertThat(far.message("turn-1")).hasValue(Model.ANSWER);
            assertThat(String.join("", near.pieces("turn-1"))).isEqualTo(Model.ANSWER);
            assertThat(watch.cursor()).isNotNull();
            assertThat(near.attaches()).isGreaterThanOrEqualTo(3);
            assertThat(near.snapshots()).isEqualTo(1);
            server.kill();
            server.close();
        }
        List<Long> stored = Stored.feedNumbers(data(), "chat");
        assertThat(near.feedNumbers())
                .isEqualTo(suffix(stored, near.feedNumbers().getFirst()));
        assertThat(far.feedNumbers()).isEqualTo(suffix(stored, far.feedNumbers().getFirst()));
    }

    private static List<Long> suffix(List<Long> stored, long from) {
        assertThat(stored).isEqualTo(LongStream.range(0, stored.size()).boxed().toList());
        return stored.subList((int) from, stored.size());
    }

    @ParameterizedTest
    @EnumSource
    void what_is_sent_to_a_server_that_is_killed_is_started_once_M76(Way way) {
        Followed followed = new Followed();
        try (SessionClient client = way.client(uri)) {
            client.connect();
            CompletableFuture<Receipt> first =
                    client.sendCreating("chat", TurnDraft.text("Count!").withId("turn-1"));
            ServerProcess server = start();
            assertThat(answer(first).started()).isTrue();
            client.watch("chat", null, followed);
            CompletableFuture<Receipt> second =
                    client.send("chat", TurnDraft.text("Once more!").withId("turn-2"));
            server.kill(); // with the second on its way, at the server, or answered
            server.close();
            server = start();
            assertThat(answer(second).turn()).isEqualTo("turn-2");
            CompletableFuture<Receipt> again =
                    client.send("chat", TurnDraft.text("Once more!").withId("turn-2"));
            assertThat(answer(again).started()).isFalse();
            model.begin(12);
            model.end();
            model.begin(12);
            model.end();
            followed.awaitOutcome("turn-1");
            followed.awaitOutcome("turn-2");
            server.kill();
            server.close();
        }
        assertThat(turns()).containsExactly("turn-1", "turn-2");
    }

    private List<String> turns() {
        try (Holdfast holdfast = Holdfast.open(data())) {
            return holdfast.sessions().get("chat").feed().read(0, 100).stream()
                    .filter(event -> event.kind().name().equals("TURN_STARTED"))
                    .flatMap(event -> event.turnId().stream())
                    .distinct() // a turn that waited in the queue starts twice
                    .toList();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_session_that_ended_its_turn_while_the_client_was_away_says_so_once_M78(Way way) {
        Followed before = new Followed();
        String cursor;
        ServerProcess server = start();
        try (SessionClient client = way.client(uri)) {
            client.connect();
            answer(client.sendCreating("chat", TurnDraft.text("Count!").withId("turn-1")));
            Watch watch = client.watch("chat", null, before);
            model.begin(3);
            before.awaitPieces("turn-1", 3);
            watch.unwatch();
            cursor = watch.cursor();
        }
        model.say(9);
        model.end();
        Followed after = new Followed();
        try (SessionClient client = way.client(uri)) {
            client.connect();
            Watch watch = client.watch("chat", cursor, after);
            assertThat(after.awaitOutcome("turn-1").outcome()).isEqualTo(TurnState.COMPLETED);
            assertThat(after.snapshots()).isZero();
            assertThat(after.message("turn-1")).hasValue(Model.ANSWER);
            client.reopen();
            await().until(() -> after.attaches() >= 2);
            answer(client.sendCreating("chat", TurnDraft.text("And?").withId("turn-2")));
            await().until(() -> after.feedNumbers().size() >= 4);
            assertThat(watch.isActive()).isTrue();
        }
        server.kill();
        server.close();
        List<Long> stored = Stored.feedNumbers(data(), "chat");
        assertThat(stored).containsSubsequence(after.feedNumbers());
        assertThat(before.feedNumbers()).doesNotContainAnyElementsOf(after.feedNumbers());
    }

    @ParameterizedTest
    @EnumSource
    void two_devices_see_the_same_M79(Way way) {
        Followed first = new Followed();
        Followed second = new Followed();
        try (ServerProcess server = start();
                SessionClient one = way.client(server.uri());
                SessionClient two = way.client(server.uri())) {
            one.connect();
            two.connect();
            answer(one.sendCreating("chat", TurnDraft.text("Count!").withId("turn-1")));
            one.watch("chat", null, first);
            two.watch("chat", null, second);
            await().until(() -> first.attaches() > 0 && second.attaches() > 0);
            model.begin(12);
            model.end();
            first.awaitOutcome("turn-1");
            second.awaitOutcome("turn-1");
            assertThat(first.feedNumbers()).isEqualTo(second.feedNumbers());
            assertThat(first.message("turn-1")).hasValue(Model.ANSWER).isEqualTo(second.message("turn-1"));
        }
    }
}
