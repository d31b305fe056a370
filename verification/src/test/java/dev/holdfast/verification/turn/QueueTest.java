package dev.holdfast.verification.turn;

import static dev.holdfast.verification.turn.TurnFixture.AGENT;
import static dev.holdfast.verification.turn.TurnFixture.SESSION;
import static dev.holdfast.verification.turn.TurnFixture.ask;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.HoldfastException.Closed;
import dev.holdfast.error.HoldfastException.LimitExceeded;
import dev.holdfast.error.HoldfastException.TurnConflict;
import dev.holdfast.session.FeedEvent;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.store.FeedRow;
import dev.holdfast.stream.StreamListing;
import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnHandle;
import dev.holdfast.turn.TurnLimits;
import dev.holdfast.turn.TurnRequest;
import dev.holdfast.turn.TurnState;
import dev.holdfast.turn.TurnStatus;
import dev.holdfast.turn.TurnsInMemory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The queue of a session: first come, first served, durable, in generations. */
class QueueTest {

    @Test
    @Tag("policy-queue")
    void turns_of_a_session_run_one_after_the_other_in_the_order_in_which_they_came_S74() throws Exception {
        Stage stage = new Stage().hold("t0");
        try (Sim sim = new Sim(stage)) {
            List<TurnHandle> handles = new ArrayList<>();
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < 12; i++) { // ids that do not sort in the order of their numbers
                handles.add(sim.start(ask("t" + i)));
                expected.add("t" + i);
            }
            assertThat(handles.get(3).status().state()).isEqualTo(TurnState.ACCEPTED);
            assertThat(handles.get(3).started()).isTrue();
            assertThat(handles.get(3).status().streamName()).isNull();
            assertThat(sim.turns().queue(SESSION))
                    .extracting(TurnStatus::id)
                    .containsExactlyElementsOf(expected.subList(1, 12));

            stage.release("t0");

            for (TurnHandle handle : handles) {
                assertThat(handle.await().state()).isEqualTo(TurnState.COMPLETED);
            }
            assertThat(stage.order()).containsExactlyElementsOf(expected);
            assertThat(sim.turns().queue(SESSION)).isEmpty();
            TurnsInMemory.awaitNone(sim.turns());
        }
    }

    @Test
    @Tag("wire-parked")
    @Tag("S57")
    void a_turn_that_waits_costs_no_stream_no_timer_and_no_thread_S74() throws Exception {
        Stage stage = new Stage().hold("a");
        try (Sim sim = new Sim(stage)) {
            sim.start(ask("a"));
            Await.until(stage::order, List.of("a")::equals);
            int timers = sim.clock.pending();

            for (int i = 0; i < 50; i++) {
                sim.start(ask("w" + i));
            }

            assertThat(sim.turns().queue(SESSION)).hasSize(50);
            assertThat(sim.turns().running()).isEqualTo(1);
            assertThat(sim.clock.pending()).isEqualTo(timers);
            assertThat(sim.holdfast().streams().list(StreamListing.all())).hasSize(1);
            assertThat(stage.order()).containsExactly("a");
            stage.release("a");
            sim.awaitOutcome("w49");
        }
    }

    @Test
    void messages_are_there_at_once_and_end_up_behind_the_answers_before_them_S74() throws Exception {
        Stage stage = new Stage().hold("a").hold("b");
        try (Sim sim = new Sim(stage)) {
            sim.start(ask("a"));
            sim.start(ask("b"));
            TurnHandle last = sim.start(ask("c"));
            assertThat(sim.path()).containsExactly("question of a", "question of b", "question of c");

            stage.release("a");
            Await.until(stage::order, order -> order.contains("b"));
            assertThat(sim.path()).containsExactly("question of a", "answer of a", "question of b", "question of c");

            stage.release("b");
            last.await();

            assertThat(sim.path())
                    .containsExactly(
                            "question of a",
                            "answer of a",
                            "question of b",
                            "answer of b",
                            "question of c",
                            "answer of c");
            assertThat(stage.historyOf("b")).containsExactly("question of a", "answer of a", "question of b");
            assertThat(stage.historyOf("c"))
                    .containsExactly("question of a", "answer of a", "question of b", "answer of b", "question of c");
        }
    }

    @Test
    void a_message_that_is_sent_while_an_answer_is_written_anew_goes_under_the_new_answer_S74() throws Exception {
        Stage stage = new Stage().hold("anew").hold("b");
        try (Sim sim = new Sim(stage)) {
            String answer = sim.start(ask("a")).await().messageId();
            sim.start(TurnRequest.regenerate("anew", AGENT, answer));
            sim.start(ask("b"));
            TurnHandle last = sim.start(ask("c"));
            assertThat(sim.path()).containsExactly("question of a", "question of b", "question of c");

            stage.release("anew");
            Await.until(stage::order, order -> order.contains("b"));
            assertThat(sim.path()).containsExactly("question of a", "answer of anew", "question of b", "question of c");

            stage.release("b");
            last.await();
            assertThat(stage.historyOf("b")).containsExactly("question of a", "answer of anew", "question of b");
            assertThat(sim.path())
                    .containsExactly(
                            "question of a",
                            "answer of anew",
                            "question of b",
                            "answer of b",
                            "question of c",
                            "answer of c");
        }
    }

    @Test
    void a_message_that_is_edited_while_its_answer_is_written_stays_the_branch_that_is_active_S74() throws Exception {
        Stage stage = new Stage().hold("a").hold("edited");
        try (Sim sim = new Sim(stage)) {
            TurnHandle first = sim.start(ask("a"));
            TurnHandle edited = sim.start(TurnRequest.answer(
                    "edited",
                    AGENT,
                    MessageDraft.of("other", "user", "another question").beside("ask-a")));
            assertThat(sim.path()).containsExactly("another question");

            stage.release("a");
            first.await();
            assertThat(sim.path()).containsExactly("another question");

            stage.release("edited");
            edited.await();
            assertThat(sim.path()).containsExactly("another question", "answer of edited");
            assertThat(stage.historyOf("edited")).containsExactly("another question");
            assertThat(sim.session()
                            .message(first.status().messageId())
                            .orElseThrow()
                            .parentId())
                    .hasValue("ask-a");
        }
    }

    @Test
    void an_answer_that_left_nothing_leaves_the_messages_behind_it_where_they_are_S74() throws Exception {
        Stage stage = new Stage();
        CountDownLatch go = new CountDownLatch(1);
        Agent agent = turn -> {
            if (turn.turnId().equals("empty")) {
                go.await();
                return AgentResult.completed();
            }
            return stage.run(turn);
        };
        try (Sim sim = new Sim(agent)) {
            sim.start(ask("empty"));
            TurnHandle next = sim.start(ask("next"));
            go.countDown();
            next.await();

            assertThat(sim.path()).containsExactly("question of empty", "question of next", "answer of next");
        }
    }

    @Test
    void a_question_that_is_deleted_while_it_waits_leaves_the_others_in_order_S74() throws Exception {
        Stage stage = new Stage().hold("a");
        try (Sim sim = new Sim(stage)) {
            sim.start(ask("a"));
            sim.start(ask("b"));
            TurnHandle last = sim.start(ask("c"));
            sim.turns().stop(SESSION, "b", null);
            sim.session().delete("ask-b");

            stage.release("a");
            last.await();

            assertThat(sim.path()).containsExactly("question of a", "answer of a", "question of c", "answer of c");
        }
    }

    @Test
    void a_failed_turn_does_not_hold_up_those_behind_it_S74() throws Exception {
        Stage stage = new Stage();
        Agent agent = turn -> {
            if (turn.turnId().equals("bad")) {
                throw new IllegalStateException("broken");
            }
            return stage.run(turn);
        };
        try (Sim sim = new Sim(agent)) {
            sim.start(ask("bad"));
            assertThat(sim.start(ask("good")).await().state()).isEqualTo(TurnState.COMPLETED);
            assertThat(sim.status("bad").state()).isEqualTo(TurnState.FAILED);
        }
    }

    @Test
    void clearing_the_queue_ends_what_waits_and_lets_the_active_turn_complete_S74() throws Exception {
        Stage stage = new Stage().hold("a");
        try (Sim sim = new Sim(stage)) {
            TurnHandle active = sim.start(ask("a"));
            TurnHandle b = sim.start(ask("b").committing(scope -> {}));
            TurnHandle c = sim.start(ask("c"));

            assertThat(sim.turns().clearQueue(SESSION, null)).isEqualTo(2);
            assertThat(sim.turns().clearQueue(SESSION, null)).isZero();

            TurnHandle later = sim.start(ask("d"));
            assertThat(sim.turns().clearQueue(SESSION, "again")).isEqualTo(1);
            TurnHandle last = sim.start(ask("e"));
            stage.release("a");

            assertThat(active.await().state()).isEqualTo(TurnState.COMPLETED);
            assertThat(b.await().state()).isEqualTo(TurnState.STOPPED);
            assertThat(b.await().error()).isEqualTo("the queue was cleared");
            assertThat(c.await().state()).isEqualTo(TurnState.STOPPED);
            assertThat(later.await().error()).isEqualTo("again");
            assertThat(last.await().state()).isEqualTo(TurnState.COMPLETED);
            assertThat(stage.order()).containsExactly("a", "e");
            TurnsInMemory.awaitNone(sim.turns());
        }
    }

    @Test
    void clearing_the_session_ends_what_waits_in_the_same_commit_S74() throws Exception {
        Stage stage = new Stage().hold("a");
        try (Sim sim = new Sim(stage)) {
            TurnHandle active = sim.start(ask("a"));
            TurnHandle waiting = sim.start(ask("b").committing(scope -> {}));
            Await.until(
                    stage::order, order -> order.contains("a")); // what it answers is gone with the session's messages

            sim.session().clear();

            assertThat(sim.status("b").state()).isEqualTo(TurnState.STOPPED);
            assertThat(waiting.await().error()).isEqualTo("the session was cleared");
            TurnHandle after = sim.start(ask("c"));
            stage.release("a");
            assertThat(active.await().state()).isEqualTo(TurnState.COMPLETED);
            assertThat(after.await().state()).isEqualTo(TurnState.COMPLETED);
            assertThat(stage.order()).containsExactly("a", "c");
            TurnsInMemory.awaitNone(sim.turns());
        }
    }

    @Test
    void a_waiting_turn_can_be_stopped_and_never_runs_S74() throws Exception {
        Stage stage = new Stage().hold("a");
        try (Sim sim = new Sim(stage)) {
            sim.start(ask("a"));
            TurnHandle b = sim.start(ask("b").committing(scope -> {}));
            TurnHandle c = sim.start(ask("c"));

            assertThat(sim.turns().stop(SESSION, "b", "not any more").accepted())
                    .isTrue();

            assertThat(b.await().state()).isEqualTo(TurnState.STOPPED);
            assertThat(b.await().error()).isEqualTo("not any more");
            assertThat(sim.turns().stop(SESSION, "b", null).accepted()).isFalse();
            stage.release("a");
            c.await();
            assertThat(stage.order()).containsExactly("a", "c");
            TurnsInMemory.awaitNone(sim.turns());
        }
    }

    @Test
    void a_restart_goes_on_with_the_queue_in_order_S74() throws Exception {
        Stage stage = new Stage().hold("a");
        try (Sim sim = new Sim(stage)) {
            sim.start(ask("a"));
            TurnHandle waited = sim.start(ask("b"));
            sim.start(ask("c"));
            Await.until(stage::order, List.of("a")::equals);

            sim.crash();
            assertThatThrownBy(waited::await).isInstanceOf(Closed.class);
            TurnHandle b = sim.start(ask("b"));
            assertThat(b.started()).isFalse();
            stage.release("a");

            assertThat(b.await().state()).isEqualTo(TurnState.COMPLETED);
            assertThat(sim.awaitOutcome("c").state()).isEqualTo(TurnState.COMPLETED);
            assertThat(stage.order()).containsExactly("a", "a", "b", "c");
            assertThat(sim.path())
                    .containsExactly(
                            "question of a",
                            "answer of a",
                            "question of b",
                            "answer of b",
                            "question of c",
                            "answer of c");
        }
    }

    @Test
    void a_drain_leaves_the_queue_to_the_next_process_S74() throws Exception {
        Stage stage = new Stage().hold("a");
        try (Sim sim = new Sim(stage)) {
            TurnHandle active = sim.start(ask("a"));
            TurnHandle waiting = sim.start(ask("b"));
            Thread drain = Thread.ofVirtual().start(() -> sim.turns().drain(Duration.ofSeconds(30)));
            Await.until(
                    () -> {
                        try {
                            return sim.start(ask("refused")).id();
                        } catch (Closed e) {
                            return "closed";
                        }
                    },
                    "closed"::equals);
            stage.release("a");
            assertThat(active.await().state()).isEqualTo(TurnState.COMPLETED);
            drain.join(); // does not wait for what only waits
            assertThatThrownBy(waiting::await).isInstanceOf(Closed.class);

            sim.crash();

            assertThat(sim.awaitOutcome("b").state()).isEqualTo(TurnState.COMPLETED);
        }
    }

    @Test
    void the_same_key_attaches_to_a_turn_that_waits_and_another_payload_is_a_conflict_S74() throws Exception {
        Stage stage = new Stage().hold("a");
        try (Sim sim = new Sim(stage)) {
            sim.start(ask("a"));
            sim.start(ask("b"));
            TurnHandle again = sim.start(ask("b"));
            assertThat(again.started()).isFalse();
            assertThatThrownBy(() -> sim.start(ask("b").withInput(new byte[] {1})))
                    .isInstanceOf(TurnConflict.class);
            stage.release("a");
            assertThat(again.await().state()).isEqualTo(TurnState.COMPLETED);
            assertThat(stage.order()).containsExactly("a", "b");
        }
    }

    @Test
    @Tag("wire-limits")
    void the_queue_is_bounded_and_a_refused_turn_leaves_nothing_behind_S74() throws Exception {
        Stage stage = new Stage().hold("a");
        TurnLimits limits = TurnLimits.defaults().withMaxWaiting(2);
        try (Sim sim = new Sim(stage, settings -> settings.withLimits(limits))) {
            sim.start(ask("a"));
            sim.start(ask("b"));
            sim.start(ask("c"));

            assertThatThrownBy(() -> sim.start(ask("d")))
                    .isInstanceOf(LimitExceeded.class)
                    .hasMessageContaining("maxWaiting");

            assertThat(sim.turns().status(SESSION, "d")).isEmpty();
            assertThat(sim.session().message("ask-d")).isEmpty();
            stage.release("a");
            sim.awaitOutcome("c");
        }
    }

    @Test
    void the_feed_tells_that_a_turn_waits_begins_and_ends_S74() throws Exception {
        Stage stage = new Stage().hold("a");
        try (Sim sim = new Sim(stage)) {
            sim.start(ask("a"));
            TurnHandle b = sim.start(ask("b"));
            stage.release("a");
            b.await();

            List<FeedRow.Kind> ofB = sim.session().feed().read(0, 100).stream()
                    .filter(event -> "b".equals(event.turn()))
                    .map(FeedEvent::kind)
                    .toList();
            assertThat(ofB)
                    .containsExactly(
                            FeedRow.Kind.MESSAGE_ADDED,
                            FeedRow.Kind.TURN_STARTED,
                            FeedRow.Kind.STREAM_OPENED,
                            FeedRow.Kind.MESSAGE_ADDED,
                            FeedRow.Kind.TURN_ENDED);
        }
    }
}
