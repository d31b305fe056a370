package dev.holdfast.verification.turn;

import static dev.holdfast.verification.turn.TurnFixture.AGENT;
import static dev.holdfast.verification.turn.TurnFixture.SESSION;
import static dev.holdfast.verification.turn.TurnFixture.ask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnHandle;
import dev.holdfast.turn.TurnRequest;
import dev.holdfast.turn.TurnState;
import dev.holdfast.turn.TurnStatus;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The watch on turns that emit nothing: off unless asked for, and the same bounded recovery as for a lost process. */
class StallTest {

    private static final Duration STALL = Duration.ofSeconds(60);

    /** Far less than a stall, so that an agent that waits for a processor is not taken for one that hangs. */
    private static final Duration STEP = Duration.ofMillis(100);

    @Test
    void a_stalled_turn_goes_through_recovery_in_the_same_process_S90() throws Exception {
        Scripted agent = new Scripted(Agent.Recovery.CONTINUE, (run, turn) -> {
            turn.emit("part " + run + " ");
            if (run == 1) {
                Scripted.hang();
            }
        });
        try (Sim sim = Scripted.sim(agent, recovery -> recovery.withStallTimeout(STALL))) {
            TurnHandle turn = sim.start(ask("t"));
            agent.awaitRuns(1);
            sim.awaitChunks("t", 1);
            sim.clock.advance(STALL);

            TurnStatus end = sim.runOut("t", STEP);

            assertThat(end.state()).isEqualTo(TurnState.COMPLETED);
            assertThat(turn.await()).isEqualTo(end);
            assertThat(sim.textOf(end)).isEqualTo("part 1 part 2 ");
            assertThat(agent.runs).hasValue(2);
            assertThat(sim.turns().incidents(SESSION)).isEmpty();
            assertThat(sim.clock.pending()).as("no watch is left").isLessThanOrEqualTo(1);
        }
    }

    @Test
    void a_turn_that_emits_now_and_then_is_not_stalled_S90() throws Exception {
        CountDownLatch next = new CountDownLatch(1);
        Scripted agent = new Scripted(Agent.Recovery.CONTINUE, (run, turn) -> {
            turn.emit("a");
            next.await();
            turn.emit("b");
        });
        try (Sim sim = Scripted.sim(agent, recovery -> recovery.withStallTimeout(STALL))) {
            TurnHandle turn = sim.start(ask("t"));
            Await.until(() -> sim.clock.pending(), pending -> pending > 0);
            agent.awaitRuns(1);
            sim.clock.advance(STALL.minusMillis(1));
            next.countDown();

            assertThat(turn.await().state()).isEqualTo(TurnState.COMPLETED);
            assertThat(agent.runs).hasValue(1);
        }
    }

    @Test
    void what_the_application_commits_with_its_turn_is_committed_when_the_stalled_agent_is_given_up() throws Exception {
        Scripted agent = new Scripted(Agent.Recovery.INTERRUPT, (run, turn) -> {
            turn.emit("part");
            Scripted.hang();
        });
        AtomicInteger committed = new AtomicInteger();
        try (Sim sim = Scripted.sim(agent, recovery -> recovery.withStallTimeout(STALL))) {
            TurnHandle turn = sim.start(ask("t").committing(handle -> committed.incrementAndGet()));
            Await.until(() -> sim.clock.pending(), pending -> pending > 0);
            agent.awaitRuns(1);

            assertThat(sim.runOut("t", STALL.dividedBy(4)).state()).isEqualTo(TurnState.FAILED);
            assertThat(turn.await().state()).isEqualTo(TurnState.FAILED);
            assertThat(committed).hasValue(1);
        }
    }

    @Test
    void without_a_stall_timeout_nothing_is_watched_S90() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        Scripted agent = new Scripted(Agent.Recovery.RETRY, (run, turn) -> {
            turn.emit("a");
            go.await();
        });
        try (Sim sim = Scripted.sim(agent, recovery -> recovery)) {
            TurnHandle turn = sim.start(ask("t"));
            agent.awaitRuns(1);
            assertThat(sim.clock.pending()).isZero();
            sim.clock.advance(Duration.ofDays(1));
            go.countDown();
            assertThat(turn.await().state()).isEqualTo(TurnState.COMPLETED);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    @Tag("S58")
    void the_progress_of_a_nested_turn_is_progress_of_all_that_wait_for_it_S87(int levels) throws Exception {
        AtomicReference<Sim> instance = new AtomicReference<>();
        AtomicInteger emitted = new AtomicInteger();
        AtomicReference<CountDownLatch> next = new AtomicReference<>(new CountDownLatch(1));
        Agent agent = turn -> {
            int level = turn.turnId().equals("t") ? 0 : Integer.parseInt(turn.turnId());
            if (level < levels) {
                instance.get()
                        .start(TurnRequest.of(Integer.toString(level + 1), AGENT)
                                .nestedIn(turn))
                        .await();
                return AgentResult.completed();
            }
            for (int i = 0; i < 5; i++) {
                turn.emit("x");
                CountDownLatch wait = next.get();
                emitted.incrementAndGet();
                wait.await();
            }
            return AgentResult.completed();
        };
        try (Sim sim = Scripted.sim(agent, recovery -> recovery.withStallTimeout(STALL))) {
            instance.set(sim);
            TurnHandle turn = sim.start(ask("t"));
            for (int i = 1; i <= 5; i++) {
                int count = i;
                Await.until(emitted::get, n -> n == count);
                sim.clock.advance(STALL.multipliedBy(3).dividedBy(4)); // together far beyond the timeout
                CountDownLatch wait = next.getAndSet(new CountDownLatch(1));
                wait.countDown();
            }
            TurnStatus end = turn.await();
            assertThat(end.state()).isEqualTo(TurnState.COMPLETED);
            assertThat(end.attempts()).isEqualTo(1);
        }
    }
}
