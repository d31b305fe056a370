package dev.holdfast.verification.turn;

import static dev.holdfast.verification.turn.TurnFixture.AGENT;
import static dev.holdfast.verification.turn.TurnFixture.SESSION;
import static dev.holdfast.verification.turn.TurnFixture.ask;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.SessionBusy;
import dev.holdfast.turn.Submit;
import dev.holdfast.turn.TurnHandle;
import dev.holdfast.turn.TurnRequest;
import dev.holdfast.turn.TurnState;
import dev.holdfast.turn.TurnStatus;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What becomes of a submission while the session is busy, by its policy. */
class SubmitPolicyTest {

    private static final Duration WINDOW = Duration.ofMillis(500);

    @Test
    @Tag("policy-latest")
    void latest_takes_the_place_of_those_that_wait_and_their_messages_stay_S75() throws Exception {
        Stage stage = new Stage().hold("a");
        try (Sim sim = new Sim(stage)) {
            sim.start(ask("a"));
            TurnHandle b = sim.start(ask("b").when(Submit.latest()));
            TurnHandle c = sim.start(ask("c"));

            TurnHandle d = sim.start(ask("d").when(Submit.latest()));

            assertThat(b.await().state()).isEqualTo(TurnState.STOPPED);
            assertThat(b.await().error()).isEqualTo("superseded by turn \"d\"");
            assertThat(c.await().error()).isEqualTo("superseded by turn \"d\"");
            assertThat(sim.turns().queue(SESSION)).extracting(TurnStatus::id).containsExactly("d");
            stage.release("a");
            assertThat(d.await().state()).isEqualTo(TurnState.COMPLETED);
            assertThat(stage.order()).containsExactly("a", "d");
            assertThat(sim.path())
                    .containsExactly(
                            "question of a",
                            "answer of a",
                            "question of b",
                            "question of c",
                            "question of d",
                            "answer of d");
        }
    }

    @Test
    @Tag("policy-merge")
    void merge_answers_the_messages_of_those_that_wait_with_its_own_S75() throws Exception {
        Stage stage = new Stage().hold("a");
        try (Sim sim = new Sim(stage)) {
            sim.start(ask("a"));
            TurnHandle b = sim.start(ask("b").when(Submit.merge()));
            TurnHandle c = sim.start(ask("c").when(Submit.merge()));

            assertThat(b.await().error()).isEqualTo("merged into turn \"c\"");
            stage.release("a");
            c.await();

            assertThat(stage.order()).containsExactly("a", "c");
            assertThat(stage.historyOf("c"))
                    .containsExactly("question of a", "answer of a", "question of b", "question of c");
        }
    }

    @Test
    @Tag("policy-drop")
    void drop_is_refused_while_the_session_is_busy_and_leaves_nothing_behind_S75() throws Exception {
        Stage stage = new Stage().hold("a");
        try (Sim sim = new Sim(stage)) {
            TurnHandle a = sim.start(ask("a").when(Submit.drop()));
            long events = sim.session().feed().next();

            assertThatThrownBy(() -> sim.start(ask("b").when(Submit.drop())))
                    .isInstanceOf(SessionBusy.class)
                    .hasMessageContaining("busy with turn \"a\"");

            assertThat(sim.session().message("ask-b")).isEmpty();
            assertThat(sim.turns().status(SESSION, "b")).isEmpty();
            assertThat(sim.session().feed().next()).isEqualTo(events);
            stage.release("a");
            a.await();
            assertThat(sim.start(ask("b").when(Submit.drop())).await().state()).isEqualTo(TurnState.COMPLETED);
        }
    }

    @Test
    void a_repeat_of_the_running_turn_attaches_whatever_its_policy_S75() throws Exception {
        Stage stage = new Stage().hold("a");
        try (Sim sim = new Sim(stage)) {
            sim.start(ask("a"));

            for (Submit policy : List.of(Submit.drop(), Submit.latest(), Submit.merge(), Submit.debounce())) {
                assertThat(sim.start(ask("a").when(policy)).started()).isFalse();
            }

            stage.release("a");
            assertThat(sim.awaitOutcome("a").state()).isEqualTo(TurnState.COMPLETED);
        }
    }

    @Test
    @Tag("policy-debounce")
    void debounce_starts_the_last_of_a_burst_once_its_window_has_passed_S75() throws Exception {
        Stage stage = new Stage();
        try (Sim sim = new Sim(stage)) {
            TurnHandle a = sim.start(ask("a").when(Submit.debounce(WINDOW)));
            assertThat(a.status().state()).isEqualTo(TurnState.ACCEPTED);
            assertThat(a.status().startsAt()).isNotNull();
            Await.until(sim.clock::pending, pending -> pending == 1);
            sim.clock.advance(WINDOW.dividedBy(2));

            TurnHandle b = sim.start(ask("b").when(Submit.debounce(WINDOW)));
            assertThat(a.await().state()).isEqualTo(TurnState.STOPPED);
            assertThat(a.await().error()).contains("superseded");
            sim.clock.advance(WINDOW.minusMillis(1));
            assertThat(sim.status("b").state()).isEqualTo(TurnState.ACCEPTED);

            runOut(sim, "b");
            assertThat(b.await().state()).isEqualTo(TurnState.COMPLETED);
            assertThat(stage.order()).containsExactly("b");
            assertThat(stage.historyOf("b")).containsExactly("question of a", "question of b");
        }
    }

    /** Moves the clock until the turn leaves the queue; how often depends on which of two alarms the test's steps met. */
    private static void runOut(Sim sim, String turn) {
        Await.until(
                () -> {
                    sim.clock.advance(WINDOW.dividedBy(10));
                    return sim.status(turn).state();
                },
                state -> state != TurnState.ACCEPTED);
    }

    @Test
    @Tag("policy-debounce")
    void a_debounced_turn_waits_for_the_active_one_as_well_S75() throws Exception {
        Stage stage = new Stage().hold("a");
        try (Sim sim = new Sim(stage)) {
            sim.start(ask("a"));
            TurnHandle b = sim.start(ask("b").when(Submit.debounce(WINDOW)));
            sim.clock.advance(WINDOW.multipliedBy(3));
            assertThat(sim.status("b").state()).isEqualTo(TurnState.ACCEPTED);

            stage.release("a");

            assertThat(b.await().state()).isEqualTo(TurnState.COMPLETED);
        }
    }

    @Test
    @Tag("policy-debounce")
    void an_open_window_survives_a_restart_S75() throws Exception {
        Stage stage = new Stage();
        try (Sim sim = new Sim(stage)) {
            sim.start(ask("a").when(Submit.debounce(WINDOW)));

            sim.crash();
            assertThat(sim.status("a").state()).isEqualTo(TurnState.ACCEPTED);
            assertThat(stage.order()).isEmpty();

            runOut(sim, "a");
            assertThat(sim.awaitOutcome("a").state()).isEqualTo(TurnState.COMPLETED);
        }
    }

    @Test
    void clearing_the_queue_ends_a_turn_in_its_window_S75() throws Exception {
        Stage stage = new Stage();
        try (Sim sim = new Sim(stage)) {
            TurnHandle a = sim.start(ask("a").when(Submit.debounce(WINDOW)));

            sim.turns().clearQueue(SESSION, null);

            assertThat(a.await().state()).isEqualTo(TurnState.STOPPED);
            sim.clock.advance(WINDOW.multipliedBy(2));
            assertThat(sim.start(ask("b")).await().state()).isEqualTo(TurnState.COMPLETED);
            assertThat(stage.order()).containsExactly("b");
        }
    }

    @Test
    void an_invalid_window_is_refused_S75() {
        assertThatThrownBy(() -> Submit.debounce(Duration.ZERO)).isInstanceOf(InvalidArgument.class);
        assertThatThrownBy(() -> Submit.debounce(Duration.ofMillis(-1))).isInstanceOf(InvalidArgument.class);
        assertThatThrownBy(() -> Submit.debounce(Duration.ofDays(1))).isInstanceOf(InvalidArgument.class);
    }

    @Test
    void a_nested_turn_is_subject_to_no_policy_S75() throws Exception {
        Stage stage = new Stage();
        AtomicReference<Sim> instance = new AtomicReference<>();
        try (Sim sim = new Sim(turn -> {
            if (turn.turnId().equals("outer")) {
                TurnHandle inner = instance.get()
                        .start(TurnRequest.of("inner", AGENT)
                                .when(Submit.drop())
                                .nestedIn(turn));
                inner.await();
            }
            return stage.run(turn);
        })) {
            instance.set(sim);

            assertThat(sim.start(ask("outer")).await().state()).isEqualTo(TurnState.COMPLETED);

            assertThat(stage.order()).containsExactly("inner", "outer");
        }
    }
}
