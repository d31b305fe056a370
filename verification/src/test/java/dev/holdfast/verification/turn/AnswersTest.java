package dev.holdfast.verification.turn;

import static dev.holdfast.verification.turn.TurnFixture.SESSION;
import static dev.holdfast.verification.turn.TurnFixture.ask;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.AnswerConflict;
import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.ToolCallNotFound;
import dev.holdfast.error.HoldfastException.TurnConflict;
import dev.holdfast.error.HoldfastException.TurnNotFound;
import dev.holdfast.stream.StreamListing;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.AnswerResult;
import dev.holdfast.turn.AnswerResult.Effect;
import dev.holdfast.turn.ToolAnswer;
import dev.holdfast.turn.TurnContext;
import dev.holdfast.turn.TurnHandle;
import dev.holdfast.turn.TurnState;
import dev.holdfast.turn.TurnStatus;
import dev.holdfast.uimessage.UiMessageAssembler;
import dev.holdfast.uimessage.UiToolAnswers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Answers to what a turn waits for: applied once, together with its continuation. */
class AnswersTest {

    private final AtomicInteger continued = new AtomicInteger();
    private final AtomicReference<CountDownLatch> beforeWaiting = new AtomicReference<>(new CountDownLatch(0));
    private final CountDownLatch asked = new CountDownLatch(1);

    /** Calls two tools, waits for both, and then tells what it got. */
    private AgentResult run(TurnContext turn) throws InterruptedException {
        if (turn.written().isPresent()) {
            continued.incrementAndGet();
            turn.emit("{\"type\":\"text-start\",\"id\":\"t\"}");
            turn.emit("{\"type\":\"text-delta\",\"id\":\"t\",\"delta\":\"done\"}");
            turn.emit("{\"type\":\"text-end\",\"id\":\"t\"}");
            return AgentResult.completed();
        }
        turn.emit("{\"type\":\"tool-input-available\",\"toolCallId\":\"c1\",\"toolName\":\"where\",\"input\":{}}");
        turn.emit("{\"type\":\"tool-input-available\",\"toolCallId\":\"c2\",\"toolName\":\"delete\",\"input\":{}}");
        turn.emit("{\"type\":\"tool-approval-request\",\"approvalId\":\"a2\",\"toolCallId\":\"c2\"}");
        asked.countDown();
        beforeWaiting.get().await();
        return AgentResult.awaiting("answers");
    }

    private Sim sim() {
        return new Sim(
                this::run,
                settings -> settings.withAssembler(new UiMessageAssembler()).withAnswers(new UiToolAnswers()));
    }

    private static ToolAnswer output(String json) {
        return new ToolAnswer.Output("c1", json.getBytes(StandardCharsets.UTF_8));
    }

    private static final ToolAnswer YES = new ToolAnswer.Approval("c2", true, null);

    private static AnswerResult answer(Sim sim, ToolAnswer answer) {
        return sim.turns().answer(SESSION, "t", answer);
    }

    private static String message(Sim sim) {
        return sim.session().message(sim.status("t").messageId()).orElseThrow().text();
    }

    @Test
    void a_turn_goes_on_once_every_parallel_call_is_answered_S80() throws Exception {
        try (Sim sim = sim()) {
            TurnStatus waiting = sim.start(ask("t")).await();
            assertThat(waiting.state()).isEqualTo(TurnState.AWAITING);

            AnswerResult first = answer(sim, output("{\"city\":\"Graz\"}"));
            assertThat(first.effect()).isEqualTo(Effect.APPLIED);
            assertThat(first.turn().state()).isEqualTo(TurnState.AWAITING);
            assertThat(continued).hasValue(0);

            AnswerResult second = answer(sim, YES);
            assertThat(second.turn().state()).isEqualTo(TurnState.STREAMING);
            assertThat(second.turn().messageId()).isEqualTo(waiting.messageId());

            assertThat(sim.awaitOutcome("t").state()).isEqualTo(TurnState.COMPLETED);
            assertThat(continued).hasValue(1);
            assertThat(message(sim)).contains("Graz", "\"approved\":true", "done");
            assertThat(sim.session().count()).isEqualTo(2);
        }
    }

    @Test
    @Tag("wire-calls")
    void a_repeated_answer_writes_nothing_and_a_contradicting_one_is_a_conflict_S81() throws Exception {
        try (Sim sim = sim()) {
            sim.start(ask("t")).await();
            answer(sim, output("1"));
            long events = sim.session().feed().next();

            assertThat(answer(sim, output("1")).effect()).isEqualTo(Effect.REPEATED);
            assertThatThrownBy(() -> answer(sim, output("2"))).isInstanceOf(AnswerConflict.class);

            assertThat(sim.session().feed().next()).isEqualTo(events);
            answer(sim, YES);
            sim.awaitOutcome("t");
            assertThat(answer(sim, output("1")).effect()).isEqualTo(Effect.REPEATED);
            assertThat(answer(sim, YES).effect()).isEqualTo(Effect.REPEATED);
            assertThat(continued).hasValue(1);
        }
    }

    @Test
    void answers_that_come_at_once_are_all_applied_and_the_turn_goes_on_once_S81() throws Exception {
        try (Sim sim = sim()) {
            for (int round = 0; round < 50; round++) {
                String turn = "r" + round;
                sim.start(ask(turn)).await();
                List<CompletableFuture<AnswerResult>> results = new ArrayList<>();
                for (ToolAnswer answer : List.of(output("1"), YES, output("1"), YES)) {
                    results.add(new CompletableFuture<>());
                    CompletableFuture<AnswerResult> result = results.getLast();
                    Thread.ofVirtual().start(() -> {
                        try {
                            result.complete(sim.turns().answer(SESSION, turn, answer));
                        } catch (RuntimeException e) {
                            result.completeExceptionally(e);
                        }
                    });
                }
                int applied = 0;
                for (CompletableFuture<AnswerResult> result : results) {
                    applied += result.get().effect() == Effect.APPLIED ? 1 : 0;
                }

                assertThat(applied).isEqualTo(2);
                assertThat(sim.awaitOutcome(turn).state()).isEqualTo(TurnState.COMPLETED);
                assertThat(continued).hasValue(round + 1);
            }
        }
    }

    @Test
    void an_answer_that_comes_while_the_turn_streams_is_kept_for_it_S80() throws Exception {
        beforeWaiting.set(new CountDownLatch(1));
        try (Sim sim = sim()) {
            TurnHandle turn = sim.start(ask("t"));
            asked.await();

            assertThat(answer(sim, output("1")).effect()).isEqualTo(Effect.KEPT);
            assertThat(answer(sim, output("1")).effect()).isEqualTo(Effect.REPEATED);
            assertThatThrownBy(() -> answer(sim, output("2"))).isInstanceOf(AnswerConflict.class);
            answer(sim, YES);
            beforeWaiting.get().countDown();

            assertThat(turn.await().state()).isEqualTo(TurnState.AWAITING);
            assertThat(sim.awaitOutcome("t").state()).isEqualTo(TurnState.COMPLETED);
            assertThat(message(sim)).contains("\"output\":1", "done");
            assertThat(continued).hasValue(1);
        }
    }

    @Test
    void an_early_answer_to_a_call_that_never_was_is_dropped_S81() throws Exception {
        beforeWaiting.set(new CountDownLatch(1));
        try (Sim sim = sim()) {
            TurnHandle turn = sim.start(ask("t"));
            asked.await();
            answer(sim, new ToolAnswer.Failure("no-such-call", "x"));
            beforeWaiting.get().countDown();
            turn.await();

            Await.until(() -> KeptProperties.of(sim.store(), "holdfast/answer/"), List::isEmpty);
            assertThat(sim.status("t").state()).isEqualTo(TurnState.AWAITING);
        }
    }

    @Test
    @Tag("wire-parked")
    @Tag("recovery-park")
    void what_a_turn_waits_for_survives_a_restart_and_costs_nothing_S84() throws Exception {
        try (Sim sim = sim()) {
            sim.start(ask("t")).await();
            answer(sim, output("1"));

            sim.crash();

            assertThat(sim.clock.pending()).isZero();
            assertThat(sim.holdfast().streams().list(StreamListing.all())).isEmpty();
            assertThat(answer(sim, YES).turn().state()).isEqualTo(TurnState.STREAMING);
            assertThat(sim.awaitOutcome("t").state()).isEqualTo(TurnState.COMPLETED);
            assertThat(message(sim)).contains("\"output\":1", "\"approved\":true", "done");
        }
    }

    @Test
    void early_answers_survive_a_restart_S84() throws Exception {
        beforeWaiting.set(new CountDownLatch(1));
        try (Sim sim = sim()) {
            sim.start(ask("t"));
            asked.await();
            answer(sim, output("1"));
            answer(sim, YES);

            sim.crash();
            beforeWaiting.get().countDown();

            assertThat(sim.awaitOutcome("t").state()).isEqualTo(TurnState.COMPLETED);
            assertThat(message(sim)).contains("\"output\":1", "\"approved\":true", "done");
        }
    }

    @Test
    void a_stopped_turn_takes_no_answer_and_one_that_is_not_there_has_none_S81() throws Exception {
        try (Sim sim = sim()) {
            sim.start(ask("t")).await();
            assertThatThrownBy(() -> answer(sim, new ToolAnswer.Approval("c9", true, null)))
                    .isInstanceOf(ToolCallNotFound.class);
            assertThatThrownBy(() -> sim.turns().answer(SESSION, "none", YES)).isInstanceOf(TurnNotFound.class);

            sim.turns().stop(SESSION, "t", "no");
            sim.awaitOutcome("t");

            assertThatThrownBy(() -> answer(sim, YES)).isInstanceOfAny(TurnConflict.class, AnswerConflict.class);
            assertThat(continued).hasValue(0);
        }
    }

    @Test
    void a_turn_whose_settings_name_nothing_that_applies_answers_says_so_S81() throws Exception {
        try (Sim sim = new Sim(this::run)) {
            sim.start(ask("t")).await();
            assertThatThrownBy(() -> answer(sim, YES))
                    .isInstanceOf(InvalidArgument.class)
                    .hasMessageContaining("withAnswers");
        }
    }
}
