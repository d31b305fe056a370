package dev.holdfast.verification.turn;

import static dev.holdfast.verification.turn.TurnFixture.AGENT;
import static dev.holdfast.verification.turn.TurnFixture.SESSION;
import static dev.holdfast.verification.turn.TurnFixture.ask;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.error.HoldfastException.LimitExceeded;
import dev.holdfast.error.HoldfastException.Overloaded;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.AnswerResult.Effect;
import dev.holdfast.turn.ToolAnswer;
import dev.holdfast.turn.TurnContext;
import dev.holdfast.turn.TurnLimits;
import dev.holdfast.turn.TurnRequest;
import dev.holdfast.turn.TurnState;
import dev.holdfast.turn.TurnStatus;
import dev.holdfast.uimessage.UiToolAnswers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The limits of turns, one by one: what is within passes, the next is refused and leaves nothing behind (BOUNDED). */
class TurnLimitsTest {

    private static Sim sim(Agent agent, UnaryOperator<TurnLimits> limits) {
        return new Sim(agent, settings -> settings.withLimits(limits.apply(TurnLimits.defaults())));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static AgentResult emit(TurnContext turn, String... chunks) {
        List.of(chunks).forEach(turn::emit);
        return AgentResult.completed();
    }

    @Test
    @Tag("wire-limits")
    void the_limit_maxNested_bounds_the_nested_turns_of_a_session() throws Exception {
        Stage stage = new Stage().hold("outer").hold("inner0").hold("inner1");
        CompletableFuture<TurnContext> outer = new CompletableFuture<>();
        Agent agent = turn -> {
            if (turn.turnId().equals("outer")) {
                outer.complete(turn);
            }
            return stage.run(turn);
        };
        try (Sim sim = sim(agent, limits -> limits.withMaxNested(2))) {
            sim.start(ask("outer"));
            sim.start(TurnRequest.of("inner0", AGENT).nestedIn(outer.get()));
            sim.start(TurnRequest.of("inner1", AGENT).nestedIn(outer.get()));

            TurnRequest third = TurnRequest.of("inner2", AGENT).nestedIn(outer.get());
            LimitExceeded refused = catchThrowableOfType(LimitExceeded.class, () -> sim.start(third));

            assertThat(refused.limit()).startsWith("maxNested");
            assertThat(sim.turns().status(SESSION, "inner2")).isEmpty();
            stage.release("inner0");
            sim.awaitOutcome("inner0");
            assertThat(sim.start(third).await().state()).isEqualTo(TurnState.COMPLETED);
            stage.release("inner1");
            stage.release("outer");
            assertThat(sim.awaitOutcome("outer").state()).isEqualTo(TurnState.COMPLETED);
        }
    }

    @Test
    @Tag("wire-limits")
    void the_limit_maxChunks_fails_a_turn_that_emits_more_and_keeps_what_it_emitted() throws Exception {
        try (Sim sim = sim(
                turn -> turn.turnId().equals("over") ? emit(turn, "a", "b", "c", "d") : emit(turn, "a", "b", "c"),
                limits -> limits.withMaxChunks(3))) {
            TurnStatus within = sim.start(ask("within")).await();
            TurnStatus over = sim.start(ask("over")).await();

            assertThat(within.state()).isEqualTo(TurnState.COMPLETED);
            assertThat(over.state()).isEqualTo(TurnState.FAILED);
            assertThat(over.error()).contains("maxChunks", "3", "4");
            assertThat(sim.textOf(over)).isEqualTo("abc");
        }
    }

    @Test
    @Tag("S48")
    void the_limit_maxChunks_counts_what_earlier_attempts_left() throws Exception {
        Scripted agent = new Scripted(Agent.Recovery.CONTINUE, (run, turn) -> {
            turn.emit("ab".substring(run - 1, run));
            if (run == 1) {
                Scripted.hang();
            }
            turn.emit("c");
        });
        try (Sim sim = sim(agent, limits -> limits.withMaxChunks(2))) {
            sim.start(ask("t"));
            Await.until(
                    () -> sim.holdfast()
                            .streams()
                            .status(String.valueOf(sim.status("t").streamName()))
                            .orElseThrow()
                            .tail(),
                    tail -> tail == 1);
            sim.crash();

            TurnStatus end = sim.awaitOutcome("t");

            assertThat(end.error()).contains("maxChunks");
            assertThat(sim.textOf(end)).isEqualTo("ab");
        }
    }

    @Test
    @Tag("wire-limits")
    @Tag("S48")
    void the_limit_maxBytes_fails_a_turn_that_emits_more_and_keeps_what_it_emitted() throws Exception {
        try (Sim sim = sim(
                turn -> turn.turnId().equals("over") ? emit(turn, "12345", "678901") : emit(turn, "12345", "67890"),
                limits -> limits.withMaxBytes(10))) {
            TurnStatus within = sim.start(ask("within")).await();
            TurnStatus over = sim.start(ask("over")).await();

            assertThat(within.state()).isEqualTo(TurnState.COMPLETED);
            assertThat(over.state()).isEqualTo(TurnState.FAILED);
            assertThat(over.error()).contains("maxBytes", "10", "11");
            assertThat(sim.textOf(over)).isEqualTo("12345");
        }
    }

    @Test
    @Tag("wire-limits")
    void the_limit_maxRunning_bounds_the_turns_of_a_process_over_all_sessions() throws Exception {
        Stage stage = new Stage().hold("a").hold("b");
        try (Sim sim = sim(stage, limits -> limits.withMaxRunning(2))) {
            sim.holdfast().sessions().create("other");
            sim.start(ask("a"));
            sim.turns().start("other", ask("b"));
            assertThat(sim.turns().running()).isEqualTo(2);

            sim.holdfast().sessions().create("third");
            assertThatThrownBy(() -> sim.turns().start("third", ask("c")))
                    .isInstanceOf(Overloaded.class)
                    .hasMessageContaining("2 turns run already");

            assertThat(sim.turns().status("third", "c")).isEmpty();
            assertThat(sim.holdfast().sessions().get("third").count()).isZero();
            stage.release("a");
            Await.until(() -> sim.turns().running(), running -> running == 1);
            assertThat(sim.turns().start("third", ask("c")).await().state()).isEqualTo(TurnState.COMPLETED);
            stage.release("b");
        }
    }

    @Test
    void the_limit_MAX_KEPT_ANSWERS_bounds_the_answers_to_a_turn_that_streams() throws Exception {
        Stage stage = new Stage().hold("t");
        try (Sim sim = new Sim(stage, settings -> settings.withAnswers(new UiToolAnswers()))) {
            sim.start(ask("t"));
            for (int i = 0; i < TurnLimits.MAX_KEPT_ANSWERS; i++) {
                assertThat(sim.turns().answer(SESSION, "t", output(i)).effect()).isEqualTo(Effect.KEPT);
            }

            LimitExceeded refused = catchThrowableOfType(
                    LimitExceeded.class, () -> sim.turns().answer(SESSION, "t", output(TurnLimits.MAX_KEPT_ANSWERS)));

            assertThat(refused.limit()).startsWith("MAX_KEPT_ANSWERS");
            assertThat(sim.turns().answer(SESSION, "t", output(0)).effect())
                    .as("a repeat needs no room")
                    .isEqualTo(Effect.REPEATED);
            sim.clock.advance(TurnLimits.KEPT_ANSWER_LIFE.plusSeconds(1));
            assertThat(sim.turns()
                            .answer(SESSION, "t", output(TurnLimits.MAX_KEPT_ANSWERS))
                            .effect())
                    .as("the others expired")
                    .isEqualTo(Effect.KEPT);
            stage.release("t");
            sim.awaitOutcome("t");
        }
    }

    private static ToolAnswer output(int call) {
        return new ToolAnswer.Output("call" + call, bytes("1"));
    }

    @Test
    void the_limit_MAX_STOPS_AHEAD_bounds_the_stops_of_turns_that_never_came() throws Exception {
        try (Sim sim = new Sim(new Stage())) {
            for (int i = 0; i < TurnLimits.MAX_STOPS_AHEAD; i++) {
                assertThat(sim.turns().stop(SESSION, "t" + i, null).accepted()).isTrue();
            }

            LimitExceeded refused =
                    catchThrowableOfType(LimitExceeded.class, () -> sim.turns().stop(SESSION, "one more", null));

            assertThat(refused.limit()).startsWith("MAX_STOPS_AHEAD");
            assertThat(sim.turns().stop(SESSION, "t0", null).accepted())
                    .as("a repeat needs no room")
                    .isTrue();
            assertThat(sim.start(ask("t0")).await().state()).isEqualTo(TurnState.STOPPED);
            assertThat(sim.turns().stop(SESSION, "one more", null).accepted())
                    .as("t0 came and made room")
                    .isTrue();
            assertThatThrownBy(() -> sim.turns().stop(SESSION, "and one more", null))
                    .isInstanceOf(LimitExceeded.class);
            sim.clock.advance(TurnLimits.STOP_AHEAD_LIFE.plusSeconds(1));
            assertThat(sim.turns().stop(SESSION, "and one more", null).accepted())
                    .as("the others expired")
                    .isTrue();
        }
    }

    @Test
    void the_limit_MAX_REMEMBERED_bounds_what_an_attempt_keeps() throws Exception {
        AtomicReference<LimitExceeded> refused = new AtomicReference<>();
        Agent agent = turn -> {
            for (int i = 0; i < TurnLimits.MAX_REMEMBERED; i++) {
                turn.remember("n" + i, bytes("v" + i));
            }
            turn.remember("n0", bytes("anew")); // a name that is there needs no room
            try {
                turn.remember("one more", bytes("x"));
            } catch (LimitExceeded e) {
                refused.set(e);
            }
            turn.emit(turn.recall("n0")
                            .map(value -> new String(value, StandardCharsets.UTF_8))
                            .orElse("none")
                    + turn.recall("one more").isPresent());
            return AgentResult.completed();
        };
        try (Sim sim = new Sim(agent)) {
            TurnStatus end = sim.start(ask("t")).await();

            assertThat(end.state()).isEqualTo(TurnState.COMPLETED);
            assertThat(refused.get().limit()).isEqualTo("MAX_REMEMBERED");
            assertThat(sim.textOf(end)).isEqualTo("anewfalse");
        }
    }

    @Test
    void the_limit_MAX_REMEMBERED_BYTES_bounds_each_value() throws Exception {
        Agent agent = turn -> {
            turn.remember("largest", new byte[TurnLimits.MAX_REMEMBERED_BYTES]);
            turn.remember("larger", new byte[TurnLimits.MAX_REMEMBERED_BYTES + 1]);
            return AgentResult.completed();
        };
        try (Sim sim = new Sim(agent)) {
            TurnStatus end = sim.start(ask("t")).await();
            assertThat(end.error()).contains("MAX_REMEMBERED_BYTES", "65537");
        }
    }

    @Test
    @Tag("wire-limits")
    void the_limit_MAX_INPUT_BYTES_bounds_the_input_of_a_turn() throws Exception {
        try (Sim sim = new Sim(new Stage())) {
            byte[] largest = new byte[TurnLimits.MAX_INPUT_BYTES];
            assertThat(sim.start(ask("largest").withInput(largest)).await().state())
                    .isEqualTo(TurnState.COMPLETED);
            assertThatThrownBy(() -> sim.start(ask("larger").withInput(new byte[largest.length + 1])))
                    .isInstanceOf(LimitExceeded.class)
                    .hasMessageContaining("MAX_INPUT_BYTES");
            assertThat(sim.turns().status(SESSION, "larger")).isEmpty();
        }
    }

    @Test
    void the_limit_MAX_REASON_BYTES_cuts_the_reason_of_an_end_between_two_characters() throws Exception {
        String reason = "ä".repeat(3000); // two bytes each
        Agent agent = turn -> {
            throw new IllegalStateException(reason);
        };
        try (Sim sim = new Sim(agent)) {
            TurnStatus end = sim.start(TurnRequest.answer("t", AGENT, MessageDraft.of("q", "user", "?")))
                    .await();
            assertThat(end.error()).isEqualTo("ä".repeat(2048));
            sim.turns().stop(SESSION, "later", reason);
            assertThat(sim.start(ask("later")).await().error()).isEqualTo("ä".repeat(2048));
        }
    }

    @Test
    void limits_out_of_range_are_refused() {
        TurnLimits limits = TurnLimits.defaults();
        assertThatThrownBy(() -> limits.withMaxNested(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> limits.withMaxChunks(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> limits.withMaxBytes(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> limits.withMaxRunning(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> limits.withMaxWaiting(TurnLimits.MAX_WAITING + 1))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
