package dev.holdfast.verification.turn;

import static dev.holdfast.verification.turn.TurnFixture.AGENT;
import static dev.holdfast.verification.turn.TurnFixture.SESSION;
import static dev.holdfast.verification.turn.TurnFixture.ask;
import static dev.holdfast.verification.turn.TurnFixture.open;
import static dev.holdfast.verification.turn.TurnFixture.textOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.error.HoldfastException.CallbackFailed;
import dev.holdfast.error.HoldfastException.StoreFull;
import dev.holdfast.error.HoldfastException.TurnConflict;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.store.StoreSettings;
import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamListing;
import dev.holdfast.stream.StreamReader;
import dev.holdfast.stream.StreamWriter;
import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnHandle;
import dev.holdfast.turn.TurnRequest;
import dev.holdfast.turn.TurnSettings;
import dev.holdfast.turn.TurnState;
import dev.holdfast.turn.TurnStatus;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Turns end, whatever happens around them, and nothing an application does in its callbacks stops the store. */
class TurnEndTest {

    @TempDir
    Path folder;

    private static final Agent GREETS = turn -> {
        turn.emit("Hello");
        return AgentResult.completed();
    };

    /** Emits more than a block, so that its stream has sealed blocks, and then waits. */
    private static Agent longAndWaiting(CountDownLatch emitted, CountDownLatch go) {
        return turn -> {
            byte[] chunk = new byte[100_000];
            for (int i = 0; i < 6; i++) {
                turn.emit(chunk.clone());
            }
            emitted.countDown();
            go.await();
            return AgentResult.completed();
        };
    }

    @Test
    void a_turn_with_sealed_blocks_ends_when_its_session_is_deleted() throws Exception {
        CountDownLatch emitted = new CountDownLatch(1);
        try (Holdfast holdfast = open(folder, longAndWaiting(emitted, new CountDownLatch(1)))) {
            TurnHandle turn = holdfast.turns().start(SESSION, ask("t"));
            emitted.await();

            holdfast.sessions().delete(SESSION);

            assertThat(turn.await()).isNotNull();
        }
    }

    @Test
    void a_turn_whose_stream_the_application_deletes_fails_and_the_session_is_free_again() throws Exception {
        CountDownLatch emitted = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        AtomicReference<Agent> agent = new AtomicReference<>(longAndWaiting(emitted, go));
        try (Holdfast holdfast = open(folder, turn -> agent.get().run(turn))) {
            TurnHandle turn = holdfast.turns().start(SESSION, ask("t"));
            emitted.await();
            holdfast.streams().delete(Objects.requireNonNull(turn.status().streamName()));
            go.countDown();

            assertThat(turn.await().state()).isEqualTo(TurnState.FAILED);

            agent.set(GREETS);
            assertThat(holdfast.turns().start(SESSION, ask("u")).await().state())
                    .isEqualTo(TurnState.COMPLETED);
        }
    }

    @Test
    void a_nested_turn_that_waits_can_be_stopped_and_its_message_is_not_doubled() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        AtomicReference<Holdfast> instance = new AtomicReference<>();
        CompletableFuture<TurnStatus> waiting = new CompletableFuture<>();
        Agent agent = turn -> {
            if (turn.turnId().equals("inner")) {
                turn.emit("May I?");
                return AgentResult.awaiting("approval");
            }
            waiting.complete(instance.get()
                    .turns()
                    .start(SESSION, TurnRequest.of("inner", AGENT).nestedIn(turn))
                    .await());
            go.await();
            return GREETS.run(turn);
        };
        try (Holdfast holdfast = open(folder, agent)) {
            instance.set(holdfast);
            TurnHandle outer = holdfast.turns().start(SESSION, ask("outer"));
            TurnStatus inner = waiting.get();

            holdfast.turns().stop(SESSION, "inner", "no");

            TurnStatus end = Await.until(
                    () -> holdfast.turns().status(SESSION, "inner").orElseThrow(),
                    status -> status.state().isOutcome());
            assertThat(end.state()).isEqualTo(TurnState.STOPPED);
            assertThat(textOf(holdfast, inner.messageId())).isEqualTo("May I?");
            go.countDown();
            outer.await();
            assertThat(holdfast.streams().list(StreamListing.all())).isEmpty();
        }
    }

    @Test
    void a_stop_reaches_the_turns_that_the_stopped_one_started() throws Exception {
        AtomicReference<Holdfast> instance = new AtomicReference<>();
        CountDownLatch innerRuns = new CountDownLatch(1);
        Agent agent = turn -> {
            if (turn.turnId().equals("inner")) {
                turn.emit("x");
                innerRuns.countDown();
                new CountDownLatch(1).await();
            }
            instance.get()
                    .turns()
                    .start(SESSION, TurnRequest.of("inner", AGENT).nestedIn(turn))
                    .await();
            return AgentResult.completed();
        };
        try (Holdfast holdfast = open(folder, agent)) {
            instance.set(holdfast);
            TurnHandle outer = holdfast.turns().start(SESSION, ask("outer"));
            innerRuns.await();

            holdfast.turns().stop(SESSION, "outer", null);

            assertThat(outer.await().state()).isEqualTo(TurnState.STOPPED);
            TurnStatus inner = holdfast.turns()
                    .start(SESSION, TurnRequest.of("inner", AGENT))
                    .await();
            assertThat(inner.state()).isEqualTo(TurnState.STOPPED);
            assertThat(holdfast.streams().list(StreamListing.all())).isEmpty();
        }
    }

    @Test
    void a_repeat_with_another_place_for_its_message_is_a_conflict() throws Exception {
        try (Holdfast holdfast = open(folder, GREETS)) {
            holdfast.turns().start(SESSION, ask("t")).await();

            assertThatThrownBy(() -> holdfast.turns()
                            .start(
                                    SESSION,
                                    TurnRequest.answer(
                                            "t",
                                            AGENT,
                                            MessageDraft.of("ask-t", "user", "question of t")
                                                    .asRoot())))
                    .isInstanceOf(TurnConflict.class);
        }
    }

    @Test
    void a_turn_cannot_write_over_the_message_it_answers() throws Exception {
        try (Holdfast holdfast = open(folder, GREETS)) {
            assertThatThrownBy(() -> holdfast.turns().start(SESSION, ask("t").writing("ask-t")))
                    .isInstanceOf(TurnConflict.class);

            assertThat(holdfast.sessions().get(SESSION).count()).isZero();
        }
    }

    @Test
    void a_turn_that_ended_cannot_be_resumed() throws Exception {
        CountDownLatch emitted = new CountDownLatch(1);
        try (Holdfast holdfast = open(folder, longAndWaiting(emitted, new CountDownLatch(1)))) {
            TurnHandle turn = holdfast.turns().start(SESSION, ask("t"));
            emitted.await();
            holdfast.turns().stop(SESSION, "t", null);
            turn.await();

            assertThatThrownBy(() -> holdfast.turns().resume(SESSION, "t", null))
                    .isInstanceOf(TurnConflict.class)
                    .hasMessageContaining("stopped");
        }
    }

    @Test
    void a_turn_waits_while_the_disk_is_full_and_goes_on_when_there_is_room() throws Exception {
        CountDownLatch filled = new CountDownLatch(1);
        Agent agent = turn -> {
            turn.emit("before ");
            filled.await();
            turn.emit("x".repeat(600_000));
            return AgentResult.completed();
        };
        HoldfastSettings settings = HoldfastSettings.defaults();
        StoreSettings small = new StoreSettings(
                2, 16 << 20, settings.store().busyTimeout(), settings.store().time());
        try (Holdfast holdfast = Holdfast.open(
                folder,
                settings.withStore(small).withTurns(TurnSettings.defaults().withAgent(AGENT, agent)))) {
            holdfast.sessions().create(SESSION);
            StreamWriter filler = holdfast.streams().open("filler");
            TurnHandle turn = holdfast.turns().start(SESSION, ask("t"));
            assertThatThrownBy(() -> {
                        while (true) {
                            filler.append(new byte[200_000]);
                        }
                    })
                    .isInstanceOf(StoreFull.class);
            filled.countDown();

            holdfast.streams().delete("filler");

            assertThat(turn.await().state()).isEqualTo(TurnState.COMPLETED);
        }
    }

    @Test
    void an_error_thrown_by_a_commit_callback_is_its_own_failure() {
        try (Holdfast holdfast = open(folder, GREETS)) {
            StreamWriter writer = holdfast.streams().open("x");

            assertThatThrownBy(() -> writer.settle(Settlement.completed().commit(handle -> {
                        throw new StackOverflowError("too deep");
                    })))
                    .isInstanceOf(CallbackFailed.class);

            writer.append("still live");
            assertThat(holdfast.healthy()).isTrue();
        }
    }

    @Test
    void a_commit_callback_that_calls_holdfast_is_told_not_to_and_nothing_hangs() {
        try (Holdfast holdfast = open(folder, GREETS)) {
            StreamWriter writer = holdfast.streams().open("x");

            assertThatThrownBy(
                            () -> writer.settle(Settlement.completed().commit(handle -> writer.append("from within"))))
                    .isInstanceOf(CallbackFailed.class)
                    .hasMessageContaining("must not call Holdfast");

            assertThat(writer.append("still live").firstSeq()).isZero();
        }
    }

    @Test
    void a_waiter_that_throws_disturbs_nobody() {
        try (Holdfast holdfast = open(folder, GREETS)) {
            StreamWriter writer = holdfast.streams().open("x");
            try (StreamReader reader = holdfast.streams().tail("x", 0)) {
                reader.onChange(() -> {
                    throw new IllegalStateException("expected by the test");
                });

                writer.append("a");

                assertThat(reader.read(100).chunks()).hasSize(1);
                assertThat(holdfast.healthy()).isTrue();
            }
        }
    }
}
