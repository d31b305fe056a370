package dev.holdfast.verification.turn;

import static dev.holdfast.verification.turn.TurnFixture.SESSION;
import static dev.holdfast.verification.turn.TurnFixture.ask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testkit.ScriptedDisk.Fault;
import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnContext;
import dev.holdfast.turn.TurnState;
import dev.holdfast.turn.TurnStatus;
import dev.holdfast.uimessage.UiMessageAssembler;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What recovery leaves: the same message as without it, once, under one id, and an outcome that is told once. */
class RecoveredMessageTest {

    private static final List<String> CHUNKS = List.of(
            "{\"type\":\"start\"}",
            "{\"type\":\"text-start\",\"id\":\"t\"}",
            "{\"type\":\"text-delta\",\"id\":\"t\",\"delta\":\"Hello \"}",
            "{\"type\":\"tool-input-available\",\"toolCallId\":\"c\",\"toolName\":\"x\",\"input\":{},\"providerExecuted\":true}",
            "{\"type\":\"tool-output-available\",\"toolCallId\":\"c\",\"output\":{\"n\":1.50}}",
            "{\"type\":\"text-delta\",\"id\":\"t\",\"delta\":\"world\"}",
            "{\"type\":\"text-end\",\"id\":\"t\"}",
            "{\"type\":\"finish\"}");

    private static void emitFrom(TurnContext turn, int from, int to) {
        for (int i = from; i < to; i++) {
            turn.emit(CHUNKS.get(i));
        }
    }

    private static byte[] answerOf(Sim sim) {
        return sim.session().message("answer").orElseThrow().content();
    }

    @Test
    @Tag("recovery-continue")
    void a_recovered_turn_writes_the_very_bytes_of_one_that_was_never_lost_S91() throws Exception {
        byte[] undisturbed;
        try (Sim sim = new Sim(
                turn -> {
                    emitFrom(turn, 0, CHUNKS.size());
                    return AgentResult.completed();
                },
                settings -> settings.withAssembler(new UiMessageAssembler()))) {
            sim.start(ask("t").writing("answer")).await();
            undisturbed = answerOf(sim);
        }
        for (Agent.Recovery recovery : List.of(Agent.Recovery.CONTINUE, Agent.Recovery.RETRY)) {
            for (int cut = 0; cut <= CHUNKS.size(); cut++) {
                int at = cut;
                Scripted agent = new Scripted(recovery, (run, turn) -> {
                    emitFrom(turn, turn.prefix().size(), run == 1 ? at : CHUNKS.size());
                    if (run == 1) {
                        Scripted.hang();
                    }
                });
                try (Sim sim = new Sim(agent, settings -> settings.withAssembler(new UiMessageAssembler()))) {
                    TurnStatus started = sim.start(ask("t").writing("answer")).status();
                    String stream = String.valueOf(started.streamName());
                    Await.until(
                            () -> sim.holdfast()
                                    .streams()
                                    .status(stream)
                                    .orElseThrow()
                                    .tail(),
                            tail -> tail == at);
                    agent.awaitRuns(1);

                    sim.crash();

                    assertThat(sim.awaitOutcome("t").state()).isEqualTo(TurnState.COMPLETED);
                    assertThat(answerOf(sim)).as("%s at %d", recovery, cut).isEqualTo(undisturbed);
                }
            }
        }
    }

    @Test
    void turns_that_are_recovered_one_after_the_other_write_a_message_of_their_own_each_S88() throws Exception {
        Scripted agent = new Scripted(Agent.Recovery.RETRY, (run, turn) -> {
            turn.emit("answer of " + turn.turnId());
            if (run % 2 == 1) {
                Scripted.hang();
            }
        });
        try (Sim sim = new Sim(agent)) {
            sim.start(ask("a"));
            agent.awaitRuns(1);
            sim.crash();
            TurnStatus a = sim.awaitOutcome("a");
            sim.start(ask("b"));
            agent.awaitRuns(3);
            sim.crash();
            TurnStatus b = sim.awaitOutcome("b");

            assertThat(a.messageId()).isNotEqualTo(b.messageId());
            assertThat(sim.path()).containsExactly("question of a", "answer of a", "question of b", "answer of b");
        }
    }

    @Test
    @Tag("S51")
    void a_lost_turn_without_a_chunk_that_is_not_taken_up_leaves_no_message_S88() throws Exception {
        Scripted agent = new Scripted(Agent.Recovery.INTERRUPT, (run, turn) -> Scripted.hang());
        try (Sim sim = new Sim(agent)) {
            sim.start(ask("t"));
            agent.awaitRuns(1);
            sim.crash();

            assertThat(sim.awaitOutcome("t").state()).isEqualTo(TurnState.INTERRUPTED);
            assertThat(sim.path()).containsExactly("question of t");
        }
    }

    @Test
    @Tag("S54")
    void the_end_of_a_turn_waits_out_a_disk_that_fails_and_is_told_once_S85() throws Exception {
        for (Fault fault : List.of(Fault.FULL, Fault.BUSY, Fault.REFUSED)) {
            CountDownLatch go = new CountDownLatch(1);
            Scripted agent = new Scripted(Agent.Recovery.RETRY, (run, turn) -> {
                turn.emit("partial");
                go.await();
                throw new IllegalStateException("broken");
            });
            try (Sim sim = new Sim(agent)) {
                sim.start(ask("t"));
                agent.awaitRuns(1);
                Await.until(
                        () -> sim.holdfast()
                                .streams()
                                .status(String.valueOf(sim.status("t").streamName()))
                                .orElseThrow()
                                .tail(),
                        tail -> tail == 1);
                sim.disk.plan(fault, 1);
                go.countDown();

                TurnStatus end = sim.runOut("t", Duration.ofSeconds(1));

                assertThat(end.error()).as("%s", fault).isEqualTo("broken");
                assertThat(sim.disk.takeStruck()).isPresent();
                assertThat(sim.textOf(end)).isEqualTo("partial");
                assertThat(sim.session().feed().read(0, 100).stream()
                                .filter(event -> "failed:broken".equals(event.detail())))
                        .hasSize(1);
            }
        }
    }

    @Test
    void whoever_hears_of_an_end_may_start_the_next_turn_at_once_S79() throws Exception {
        AtomicReference<Sim> instance = new AtomicReference<>();
        Stage stage = new Stage();
        try (Sim sim = new Sim(stage)) {
            instance.set(sim);
            CompletableFuture<TurnStatus> second = sim.start(ask("a"))
                    .ended()
                    .thenCompose(end -> instance.get().start(ask("b")).ended());

            assertThat(second.get().state()).isEqualTo(TurnState.COMPLETED);
            assertThat(stage.order()).containsExactly("a", "b");
        }
    }

    @Test
    void an_agent_may_queue_the_next_turn_of_its_own_session_S79() throws Exception {
        AtomicReference<Sim> instance = new AtomicReference<>();
        Agent agent = turn -> {
            if (turn.turnId().equals("a")) {
                assertThat(instance.get().start(ask("b")).status().state()).isEqualTo(TurnState.ACCEPTED);
            }
            turn.emit("x");
            return AgentResult.completed();
        };
        try (Sim sim = new Sim(agent)) {
            instance.set(sim);
            sim.start(ask("a")).await();
            assertThat(sim.awaitOutcome("b").state()).isEqualTo(TurnState.COMPLETED);
            assertThat(sim.turns().latest(SESSION, 5)).hasSize(2);
        }
    }
}
