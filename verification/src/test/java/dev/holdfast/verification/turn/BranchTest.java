package dev.holdfast.verification.turn;

import static dev.holdfast.verification.turn.TurnFixture.AGENT;
import static dev.holdfast.verification.turn.TurnFixture.ask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.session.MessageDraft;
import dev.holdfast.turn.Submit;
import dev.holdfast.turn.TurnHandle;
import dev.holdfast.turn.TurnRequest;
import dev.holdfast.turn.TurnState;
import dev.holdfast.turn.TurnStatus;
import org.junit.jupiter.api.Test;

/** Edited messages and answers that are written anew: branches, which queue as everything does. */
final class BranchTest {

    @Test
    void an_edited_message_and_its_answer_are_a_branch_beside_the_first_ones_S74() throws Exception {
        Stage stage = new Stage();
        try (Sim sim = new Sim(stage)) {
            sim.start(ask("a")).await();
            sim.start(ask("b")).await();

            TurnRequest edit = TurnRequest.answer(
                    "edit",
                    AGENT,
                    MessageDraft.of("ask-b2", "user", "better question").beside("ask-b"));
            sim.start(edit).await();

            assertThat(sim.path()).containsExactly("question of a", "answer of a", "better question", "answer of edit");
            assertThat(sim.session().message("ask-b")).isPresent();
        }
    }

    @Test
    void a_regenerated_answer_is_a_branch_beside_the_first_one_and_queues_S75() throws Exception {
        Stage stage = new Stage();
        try (Sim sim = new Sim(stage)) {
            TurnStatus first = sim.start(ask("a")).await();
            stage.hold("b");
            sim.start(ask("b"));

            TurnHandle again = sim.start(TurnRequest.regenerate("again", AGENT, first.messageId()));
            TurnHandle replacing = sim.start(ask("c").when(Submit.latest()));
            assertThat(again.status().state()).isEqualTo(TurnState.ACCEPTED);
            stage.release("b");

            assertThat(again.await().state()).as("nothing takes its place").isEqualTo(TurnState.COMPLETED);
            assertThat(replacing.await().state()).isEqualTo(TurnState.COMPLETED);
            assertThat(stage.historyOf("again")).containsExactly("question of a");
            assertThat(sim.session().children("ask-a", 10)).hasSize(2);
            assertThat(stage.order()).containsExactly("a", "b", "again", "c");
        }
    }

    @Test
    void the_answer_of_a_turn_that_still_runs_can_be_asked_for_once_more_S75() throws Exception {
        Stage stage = new Stage().hold("a");
        try (Sim sim = new Sim(stage)) {
            TurnHandle first = sim.start(ask("a"));

            TurnHandle again = sim.start(
                    TurnRequest.regenerate("again", AGENT, first.status().messageId()));
            stage.release("a");

            assertThat(again.await().userMessageId()).isEqualTo("ask-a");
            assertThat(sim.session().children("ask-a", 10)).hasSize(2);
        }
    }
}
