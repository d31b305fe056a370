package dev.holdfast.verification.sessionclient;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.client.SessionClient;
import dev.holdfast.client.message.Receipt;
import dev.holdfast.client.message.TurnDraft;
import dev.holdfast.client.message.TurnState;
import dev.holdfast.verification.rig.ServerProcess;
import dev.holdfast.verification.sessionclient.CuttingProxy.Harm;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Clients behind a proxy that cuts and holds their connections at every frame and within frames, while turns are streaming: what each has is what the
 * store has.
 */
final class CutConnectionTest {

    /** Connections of one client that are harmed, before one is left alone. */
    private static final int HARMED = 4;

    /** Short, since silence shows what else does not: a held connection, and an end that the JDK's WebSocket misses when it follows right behind a frame. */
    private static final String HEARTBEAT = "250ms";

    private static final int MAX_FRAMES = 9;
    private static final List<Integer> BYTES = List.of(0, 1, 40);

    @TempDir
    private Path folder;

    private static Receipt answer(CompletableFuture<Receipt> receipt) {
        return receipt.orTimeout(2, TimeUnit.MINUTES).join();
    }

    private static IntFunction<Harm> first(int frames, int bytes, Kind kind) {
        return number -> {
            int behind = (frames + number * 2) % MAX_FRAMES;
            return number >= HARMED
                    ? new Harm.None()
                    : switch (kind) {
                        case CUT -> new Harm.Cut(behind, bytes);
                        case HOLD -> new Harm.Hold(behind, bytes);
                    };
        };
    }

    private enum Kind {
        CUT,
        HOLD
    }

    @ParameterizedTest
    @EnumSource
    void whatever_frame_a_connection_is_cut_at_the_client_has_what_the_store_has(Way way) throws Exception {
        follow(way, Kind.CUT);
    }

    @Test
    void what_comes_late_of_a_connection_that_was_given_up_changes_nothing() throws Exception {
        follow(Way.SSE, Kind.HOLD);
    }

    private void follow(Way way, Kind kind) throws Exception {
        TreeMap<String, List<Long>> seen = new TreeMap<>();
        try (Model model = new Model();
                ServerProcess server = ServerProcess.start(
                        folder, folder.resolve("data"), 0, model.options("--heartbeat", HEARTBEAT))) {
            for (int frames = 0; frames < MAX_FRAMES; frames++) {
                for (int bytes : BYTES) {
                    if (kind == Kind.HOLD && (bytes > 0 || frames % 3 > 0)) {
                        continue; // each of these waits for silence
                    }
                    String session = "session-%d-%d".formatted(frames, bytes);
                    try (CuttingProxy proxy = new CuttingProxy(server.uri(), first(frames, bytes, kind));
                            SessionClient client = way.client(proxy.uri());
                            SessionClient sender = way.client(server.uri())) {
                        sender.connect();
                        client.connect();
                        seen.put(session, one(model, session, client, sender));
                        assertThat(proxy.connections()).as(session).isGreaterThan(1);
                    }
                }
            }
            server.kill();
        }
        seen.forEach((session, numbers) -> {
            List<Long> stored = Stored.feedNumbers(folder.resolve("data"), session);
            assertThat(numbers)
                    .as(session)
                    .isEqualTo(stored.subList(numbers.getFirst().intValue(), stored.size()));
        });
    }

    /** A turn of one session, word for word, and then another that the harmed client sends itself. */
    private static List<Long> one(Model model, String session, SessionClient client, SessionClient sender) {
        answer(sender.sendCreating(session, TurnDraft.text("Count!").withId("turn-1")));
        Followed followed = new Followed();
        client.watch(session, null, followed);
        followed.awaitAttached();
        model.begin(1);
        followed.awaitPieces("turn-1", 1);
        for (int words = 2; words <= Model.WORDS.size(); words++) {
            model.say(1);
            followed.awaitPieces("turn-1", words);
        }
        model.end();
        assertThat(followed.awaitOutcome("turn-1").outcome()).isEqualTo(TurnState.COMPLETED);
        assertThat(String.join("", followed.pieces("turn-1"))).isEqualTo(Model.ANSWER);
        assertThat(answer(client.send(session, TurnDraft.text("Again!").withId("turn-2")))
                        .turn())
                .isEqualTo("turn-2");
        model.begin(Model.WORDS.size());
        model.end();
        followed.awaitOutcome("turn-2");
        assertThat(followed.message("turn-2")).hasValue(Model.ANSWER);
        return followed.feedNumbers();
    }
}
