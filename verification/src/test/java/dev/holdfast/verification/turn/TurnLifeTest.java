package dev.holdfast.verification.turn;

import static dev.holdfast.verification.turn.TurnFixture.AGENT;
import static dev.holdfast.verification.turn.TurnFixture.SESSION;
import static dev.holdfast.verification.turn.TurnFixture.ask;
import static dev.holdfast.verification.turn.TurnFixture.open;
import static dev.holdfast.verification.turn.TurnFixture.textOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.SessionNotFound;
import dev.holdfast.error.HoldfastException.StreamClosed;
import dev.holdfast.error.HoldfastException.TurnConflict;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.stream.ReadBatch;
import dev.holdfast.stream.StreamReader;
import dev.holdfast.stream.StreamState;
import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.StopResult;
import dev.holdfast.turn.TurnContext;
import dev.holdfast.turn.TurnHandle;
import dev.holdfast.turn.TurnRequest;
import dev.holdfast.turn.TurnState;
import dev.holdfast.turn.TurnStatus;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A turn's life in one process. */
class TurnLifeTest {

    @TempDir
    Path folder;

    private static final Agent GREETS = turn -> {
        turn.emit("Hel");
        turn.emit("lo");
        return AgentResult.completed();
    };

    @Test
    @Tag("S53")
    void when_a_turn_completes_its_message_is_there_and_its_stream_is_gone() throws Exception {
        try (Holdfast holdfast = open(folder, GREETS)) {
            TurnHandle turn = holdfast.turns().start(SESSION, ask("t"));

            TurnStatus end = turn.await();

            assertThat(end.state()).isEqualTo(TurnState.COMPLETED);
            assertThat(textOf(holdfast, end.messageId())).isEqualTo("Hello");
            assertThat(holdfast.streams().status(streamOf(end))).isEmpty();
            assertThat(holdfast.sessions()
                            .get(SESSION)
                            .message(end.messageId())
                            .orElseThrow()
                            .parent())
                    .isEqualTo("ask-t");
        }
    }

    @Test
    @Tag("row-3")
    void a_reader_of_a_running_turn_sees_every_chunk_and_the_outcome() throws Exception {
        CountDownLatch attached = new CountDownLatch(1);
        Agent agent = turn -> {
            turn.emit("a");
            attached.await();
            turn.emit(List.of(bytes("b"), bytes("c")));
            return AgentResult.completed();
        };
        try (Holdfast holdfast = open(folder, agent)) {
            TurnHandle turn = holdfast.turns().start(SESSION, ask("t"));
            StringBuilder seen = new StringBuilder();
            try (StreamReader reader = holdfast.streams().tail(streamOf(turn.status()), 0)) {
                ReadBatch batch = reader.next(1000);
                attached.countDown();
                while (true) {
                    batch.chunks().forEach(chunk -> seen.append(chunk.text()));
                    if (batch.ended()) {
                        break;
                    }
                    batch = reader.next(1000);
                }
                assertThat(batch.state()).isEqualTo(StreamState.COMPLETED);
            }
            assertThat(seen).hasToString("abc");
            assertThat(turn.await().state()).isEqualTo(TurnState.COMPLETED);
        }
    }

    @Test
    void the_same_key_attaches_to_the_running_turn_and_after_its_end_tells_the_outcome() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        AtomicInteger runs = new AtomicInteger();
        Agent agent = turn -> {
            runs.incrementAndGet();
            go.await();
            return GREETS.run(turn);
        };
        try (Holdfast holdfast = open(folder, agent)) {
            TurnHandle first = holdfast.turns().start(SESSION, ask("t"));
            TurnHandle again = holdfast.turns().start(SESSION, ask("t"));
            go.countDown();

            assertThat(first.started()).isTrue();
            assertThat(again.started()).isFalse();
            assertThat(again.await()).isEqualTo(first.await());
            TurnHandle after = holdfast.turns().start(SESSION, ask("t"));
            assertThat(after.started()).isFalse();
            assertThat(after.await().state()).isEqualTo(TurnState.COMPLETED);
            assertThat(runs).hasValue(1);
        }
    }

    @Test
    @Tag("wire-conflict")
    void the_same_key_with_another_payload_is_a_conflict_and_changes_nothing() throws Exception {
        try (Holdfast holdfast = open(folder, GREETS)) {
            holdfast.turns().start(SESSION, ask("t")).await();

            assertThatThrownBy(() -> holdfast.turns().start(SESSION, ask("t").withInput(bytes("other"))))
                    .isInstanceOf(TurnConflict.class)
                    .hasMessageContaining("another payload");
            assertThat(holdfast.sessions().get(SESSION).count()).isEqualTo(2);
        }
    }

    @Test
    void a_turn_without_a_chunk_leaves_no_message_and_has_its_outcome() throws Exception {
        try (Holdfast holdfast = open(folder, turn -> AgentResult.completed())) {
            TurnStatus end = holdfast.turns().start(SESSION, ask("t")).await();

            assertThat(end.state()).isEqualTo(TurnState.COMPLETED);
            assertThat(holdfast.sessions().get(SESSION).message(end.messageId()))
                    .isEmpty();
            assertThat(holdfast.streams().status(streamOf(end))).isEmpty();
        }
    }

    @Test
    void an_agent_that_throws_fails_the_turn_and_the_partial_is_kept() throws Exception {
        Agent agent = turn -> {
            turn.emit("partial");
            throw new IllegalStateException("the model is gone");
        };
        try (Holdfast holdfast = open(folder, agent)) {
            TurnStatus end = holdfast.turns().start(SESSION, ask("t")).await();

            assertThat(end.state()).isEqualTo(TurnState.FAILED);
            assertThat(end.error()).isEqualTo("the model is gone");
            assertThat(textOf(holdfast, end.messageId())).isEqualTo("partial");
        }
    }

    @Test
    @Tag("S49")
    void an_agent_that_emits_after_its_end_is_refused_and_nothing_changes() throws Exception {
        AtomicReference<TurnContext> kept = new AtomicReference<>();
        Agent agent = turn -> {
            kept.set(turn);
            return GREETS.run(turn);
        };
        try (Holdfast holdfast = open(folder, agent)) {
            TurnStatus end = holdfast.turns().start(SESSION, ask("t")).await();

            assertThatThrownBy(() -> kept.get().emit("late")).isInstanceOf(StreamClosed.class);
            assertThatThrownBy(() -> kept.get().remember("late", bytes("x"))).isInstanceOf(StreamClosed.class);
            assertThat(textOf(holdfast, end.messageId())).isEqualTo("Hello");
        }
    }

    @Test
    void a_stopped_turn_keeps_its_partial_and_a_repeated_stop_is_accepted() throws Exception {
        CountDownLatch emitted = new CountDownLatch(1);
        Agent agent = turn -> {
            turn.emit("partial");
            emitted.countDown();
            new CountDownLatch(1).await();
            return AgentResult.completed();
        };
        try (Holdfast holdfast = open(folder, agent)) {
            TurnHandle turn = holdfast.turns().start(SESSION, ask("t"));
            emitted.await();

            StopResult stop = holdfast.turns().stop(SESSION, "t", "enough");
            StopResult again = holdfast.turns().stop(SESSION, "t", "enough");
            TurnStatus end = turn.await();

            assertThat(stop.accepted()).isTrue();
            assertThat(again.accepted() || again.state() == TurnState.STOPPED).isTrue();
            assertThat(end.state()).isEqualTo(TurnState.STOPPED);
            assertThat(end.error()).isEqualTo("enough");
            assertThat(textOf(holdfast, end.messageId())).isEqualTo("partial");
        }
    }

    @Test
    @Tag("S49")
    void an_agent_that_hangs_is_left_behind_when_it_is_stopped_and_writes_nothing_later() throws Exception {
        CountDownLatch emitted = new CountDownLatch(1);
        CountDownLatch wakeUp = new CountDownLatch(1);
        CompletableFuture<Throwable> late = new CompletableFuture<>();
        Agent agent = turn -> {
            turn.emit("partial");
            emitted.countDown();
            TurnFixture.awaitThroughInterrupts(wakeUp);
            try {
                turn.emit("late");
                late.complete(new AssertionError("a late chunk was taken"));
            } catch (StreamClosed e) {
                late.complete(e);
            }
            return AgentResult.completed();
        };
        try (Holdfast holdfast = open(folder, agent)) {
            TurnHandle turn = holdfast.turns().start(SESSION, ask("t"));
            emitted.await();

            holdfast.turns().stop(SESSION, "t", null);
            TurnStatus end = turn.await();
            wakeUp.countDown();

            assertThat(end.state()).isEqualTo(TurnState.STOPPED);
            assertThat(late.get()).isInstanceOf(StreamClosed.class);
            assertThat(textOf(holdfast, end.messageId())).isEqualTo("partial");
        }
    }

    @Test
    void a_stop_and_a_finish_that_race_leave_exactly_one_outcome() throws Exception {
        AtomicReference<CountDownLatch> go = new AtomicReference<>(new CountDownLatch(1));
        Agent agent = turn -> {
            turn.emit("x");
            go.get().await();
            return AgentResult.completed();
        };
        try (Holdfast holdfast = open(folder, agent)) {
            for (int i = 0; i < 200; i++) {
                go.set(new CountDownLatch(1));
                TurnHandle turn = holdfast.turns().start(SESSION, ask("t" + i));
                CompletableFuture<StopResult> stop = new CompletableFuture<>();
                int id = i;
                Thread.ofVirtual().start(() -> stop.complete(holdfast.turns().stop(SESSION, "t" + id, null)));
                go.get().countDown();

                TurnStatus end = turn.await();

                assertThat(end.state())
                        .as("round %d", i)
                        .isEqualTo(stop.get().accepted() ? TurnState.STOPPED : TurnState.COMPLETED);
                assertThat(holdfast.turns().status(SESSION, "t" + i)).contains(end);
            }
        }
    }

    @Test
    void a_turn_that_waits_has_its_message_and_no_stream_and_goes_on_from_there() throws Exception {
        Agent agent = turn -> {
            if (turn.written().isEmpty()) {
                turn.emit("May I? ");
                return AgentResult.awaiting("approval");
            }
            turn.emit(new String(turn.input(), StandardCharsets.UTF_8));
            return AgentResult.completed();
        };
        try (Holdfast holdfast = open(folder, agent)) {
            TurnStatus waiting = holdfast.turns().start(SESSION, ask("t")).await();
            assertThat(waiting.state()).isEqualTo(TurnState.AWAITING);
            assertThat(waiting.error()).isEqualTo("approval");
            assertThat(textOf(holdfast, waiting.messageId())).isEqualTo("May I? ");
            assertThat(holdfast.streams().status(streamOf(waiting))).isEmpty();

            TurnStatus end =
                    holdfast.turns().resume(SESSION, "t", bytes("Yes.")).await();

            assertThat(end.state()).isEqualTo(TurnState.COMPLETED);
            assertThat(end.messageId()).isEqualTo(waiting.messageId());
            assertThat(textOf(holdfast, end.messageId())).isEqualTo("May I? Yes.");
            assertThatThrownBy(() -> holdfast.turns().resume(SESSION, "t", null))
                    .isInstanceOf(TurnConflict.class);
        }
    }

    @Test
    void a_turn_that_waits_can_be_stopped() throws Exception {
        Agent agent = turn -> {
            turn.emit("May I?");
            return AgentResult.awaiting("approval");
        };
        try (Holdfast holdfast = open(folder, agent)) {
            TurnStatus waiting = holdfast.turns().start(SESSION, ask("t")).await();

            assertThat(holdfast.turns().stop(SESSION, "t", "no").accepted()).isTrue();

            TurnStatus end = Await.until(
                    () -> holdfast.turns().status(SESSION, "t").orElseThrow(),
                    status -> status.state().isOutcome());
            assertThat(end.state()).isEqualTo(TurnState.STOPPED);
            assertThat(textOf(holdfast, waiting.messageId())).isEqualTo("May I?");
        }
    }

    @Test
    void a_nested_turn_keeps_its_stream_for_its_parent_and_loses_it_when_the_parent_ends() throws Exception {
        List<String> readByParent = new ArrayList<>();
        AtomicReference<Holdfast> instance = new AtomicReference<>();
        AtomicReference<TurnStatus> inner = new AtomicReference<>();
        Agent agent = turn -> {
            if (turn.turnId().equals("inner")) {
                return GREETS.run(turn);
            }
            TurnStatus nested = instance.get()
                    .turns()
                    .start(SESSION, TurnRequest.of("inner", AGENT).nestedIn(turn))
                    .await();
            inner.set(nested);
            instance.get()
                    .streams()
                    .read(streamOf(nested), 0, 1000)
                    .chunks()
                    .forEach(chunk -> readByParent.add(chunk.text()));
            turn.emit("done");
            return AgentResult.completed();
        };
        try (Holdfast holdfast = open(folder, agent)) {
            instance.set(holdfast);

            TurnStatus end = holdfast.turns().start(SESSION, ask("outer")).await();

            assertThat(end.state()).isEqualTo(TurnState.COMPLETED);
            assertThat(readByParent).containsExactly("Hel", "lo");
            assertThat(holdfast.streams().status(streamOf(inner.get()))).isEmpty();
        }
    }

    @Test
    void bad_starts_say_what_is_wrong() {
        try (Holdfast holdfast = open(folder, GREETS)) {
            assertThatThrownBy(() -> holdfast.turns().start("nowhere", ask("t")))
                    .isInstanceOf(SessionNotFound.class);
            assertThatThrownBy(() -> holdfast.turns().start(SESSION, TurnRequest.of("t", "nobody")))
                    .isInstanceOf(InvalidArgument.class)
                    .hasMessageContaining("Registered are: agent");
            assertThatThrownBy(() -> holdfast.turns().start(SESSION, TurnRequest.of("", AGENT)))
                    .isInstanceOf(InvalidArgument.class);
            assertThat(holdfast.sessions().get(SESSION).count()).isZero();
        }
    }

    @Test
    void the_conversation_up_to_the_question_is_given_to_the_agent() throws Exception {
        List<String> seen = new ArrayList<>();
        Agent agent = turn -> {
            turn.history(1_000_000).forEach(message -> seen.add(message.text()));
            turn.emit("answer");
            return AgentResult.completed();
        };
        try (Holdfast holdfast = open(folder, agent)) {
            holdfast.sessions().get(SESSION).append(MessageDraft.of("m0", "user", "before"));

            holdfast.turns().start(SESSION, ask("t")).await();

            assertThat(seen).containsExactly("before", "question of t");
        }
    }

    private static String streamOf(TurnStatus turn) {
        return Objects.requireNonNull(turn.streamName());
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
