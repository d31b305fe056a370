package dev.holdfast.verification.turn;

import static dev.holdfast.verification.turn.TurnFixture.SESSION;
import static dev.holdfast.verification.turn.TurnFixture.ask;
import static dev.holdfast.verification.turn.TurnFixture.open;
import static dev.holdfast.verification.turn.TurnFixture.textOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.error.HoldfastException.Closed;
import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnContext;
import dev.holdfast.turn.TurnHandle;
import dev.holdfast.turn.TurnSettings;
import dev.holdfast.turn.TurnState;
import dev.holdfast.turn.TurnStatus;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What becomes of a turn whose process ended without it. Closing an instance leaves its turns as a kill does: no outcome is written; the
 * crash suite does the same with real kills.
 */
class TurnRecoveryTest {

    @TempDir
    Path folder;

    /** Emits two chunks with positions, and then hangs in its first attempt; goes on where it was in the next. */
    private static final class Resumes implements Agent {
        final CountDownLatch emitted = new CountDownLatch(1);
        final List<Integer> attempts = new ArrayList<>();
        final List<OptionalLong> positions = new ArrayList<>();
        final List<String> prefixes = new ArrayList<>();
        private final Recovery recovery;

        Resumes(Recovery recovery) {
            this.recovery = recovery;
        }

        @Override
        public AgentResult run(TurnContext turn) throws Exception {
            attempts.add(turn.attempt());
            positions.add(turn.position());
            StringBuilder prefix = new StringBuilder();
            turn.prefix().forEach(chunk -> prefix.append(new String(chunk, StandardCharsets.UTF_8)));
            prefixes.add(prefix.toString());
            String text = "abcd";
            for (int i = (int) turn.position().orElse(0); i < text.length(); i++) {
                turn.emit(List.of(text.substring(i, i + 1).getBytes(StandardCharsets.UTF_8)), i + 1);
                if (i == 1 && turn.attempt() == 1) {
                    turn.remember("run", "r-1".getBytes(StandardCharsets.UTF_8));
                    emitted.countDown();
                    new CountDownLatch(1).await();
                }
            }
            return AgentResult.completed();
        }

        @Override
        public Recovery recover(LostTurn turn) {
            assertThat(turn.recall("run")).isPresent();
            return recovery;
        }
    }

    private TurnStatus endAfterLoss(Agent agent, CountDownLatch emitted) throws InterruptedException {
        try (Holdfast first = open(folder, agent)) {
            first.turns().start(SESSION, ask("t"));
            emitted.await();
        }
        try (Holdfast second = open(folder, agent)) {
            return second.turns().start(SESSION, ask("t")).await();
        }
    }

    @Test
    @Tag("S50")
    @Tag("recovery-continue")
    void a_lost_turn_continues_exactly_after_its_durable_prefix_S23() throws Exception {
        Resumes agent = new Resumes(Agent.Recovery.CONTINUE);

        TurnStatus end = endAfterLoss(agent, agent.emitted);

        assertThat(end.state()).isEqualTo(TurnState.COMPLETED);
        assertThat(agent.attempts).containsExactly(1, 2);
        assertThat(agent.positions).containsExactly(OptionalLong.empty(), OptionalLong.of(2));
        assertThat(agent.prefixes).containsExactly("", "ab");
        try (Holdfast third = open(folder, agent)) {
            assertThat(textOf(third, end.messageId())).isEqualTo("abcd");
            assertThat(third.streams().status(Objects.requireNonNull(end.streamName())))
                    .isEmpty();
        }
    }

    @Test
    @Tag("S56")
    @Tag("recovery-retry")
    void a_lost_turn_that_is_retried_gets_a_new_stream_and_the_same_message_id() throws Exception {
        Resumes agent = new Resumes(Agent.Recovery.RETRY);

        TurnStatus end = endAfterLoss(agent, agent.emitted);

        assertThat(end.state()).isEqualTo(TurnState.COMPLETED);
        assertThat(agent.prefixes).containsExactly("", "");
        try (Holdfast third = open(folder, agent)) {
            assertThat(textOf(third, end.messageId())).isEqualTo("abcd");
            assertThat(third.sessions().get(SESSION).count()).isEqualTo(2);
        }
    }

    @Test
    @Tag("recovery-interrupt")
    void a_lost_turn_can_end_as_interrupted_with_its_partial_kept() throws Exception {
        Resumes agent = new Resumes(Agent.Recovery.INTERRUPT);

        TurnStatus end = endAfterLoss(agent, agent.emitted);

        assertThat(end.state()).isEqualTo(TurnState.INTERRUPTED);
        try (Holdfast third = open(folder, agent)) {
            assertThat(textOf(third, end.messageId())).isEqualTo("ab");
        }
    }

    @Test
    @Tag("recovery-exhausted")
    void a_turn_that_is_lost_again_and_again_without_progress_ends_as_interrupted() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        AtomicReference<CountDownLatch> running = new AtomicReference<>(new CountDownLatch(1));
        Agent hangs = turn -> {
            runs.incrementAndGet();
            running.get().countDown();
            new CountDownLatch(1).await();
            return AgentResult.completed();
        };
        for (int i = 0; i < 3; i++) {
            running.set(new CountDownLatch(1));
            try (Holdfast holdfast = open(folder, hangs)) {
                if (i == 0) {
                    holdfast.turns().start(SESSION, ask("t"));
                }
                running.get().await();
            }
        }

        try (Holdfast last = open(folder, hangs)) {
            TurnStatus end = last.turns().start(SESSION, ask("t")).await();

            assertThat(end.state()).isEqualTo(TurnState.INTERRUPTED);
            assertThat(end.error()).contains("3 times");
            assertThat(runs).hasValue(3);
        }
    }

    @Test
    @Tag("S58")
    void progress_resets_the_budget_of_attempts() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        AtomicReference<CountDownLatch> running = new AtomicReference<>(new CountDownLatch(1));
        Agent creeps = new Agent() {
            @Override
            public AgentResult run(TurnContext turn) throws Exception {
                turn.emit("x");
                if (runs.incrementAndGet() == 8) {
                    return AgentResult.completed();
                }
                running.get().countDown();
                new CountDownLatch(1).await();
                return AgentResult.completed();
            }

            @Override
            public Recovery recover(LostTurn turn) {
                return Recovery.CONTINUE;
            }
        };
        for (int i = 0; i < 7; i++) {
            running.set(new CountDownLatch(1));
            try (Holdfast holdfast = open(folder, creeps)) {
                if (i == 0) {
                    holdfast.turns().start(SESSION, ask("t"));
                }
                running.get().await();
            }
        }

        try (Holdfast last = open(folder, creeps)) {
            TurnStatus end = last.turns().start(SESSION, ask("t")).await();

            assertThat(end.state()).isEqualTo(TurnState.COMPLETED);
            assertThat(textOf(last, end.messageId())).isEqualTo("xxxxxxxx");
        }
    }

    @Test
    @Tag("recovery-stop")
    void a_stop_that_was_committed_before_the_loss_is_carried_out_and_never_undone() throws Exception {
        CountDownLatch emitted = new CountDownLatch(1);
        AtomicInteger runs = new AtomicInteger();
        Agent ignores = turn -> {
            runs.incrementAndGet();
            turn.emit("partial");
            emitted.countDown();
            int interrupts = 0;
            while (interrupts < Integer.MAX_VALUE) {
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException e) {
                    interrupts++; // ignores its stop, so that the process ends before the turn does
                }
            }
            return AgentResult.completed();
        };
        try (Holdfast first = open(
                folder,
                ignores,
                settings -> settings.withLimits(new dev.holdfast.turn.TurnLimits(
                        3, Duration.ofMinutes(5), Duration.ofHours(1), Duration.ofSeconds(5))))) {
            first.turns().start(SESSION, ask("t"));
            emitted.await();
            assertThat(first.turns().stop(SESSION, "t", "enough").accepted()).isTrue();
        }
        try (Holdfast second = open(folder, ignores)) {
            TurnStatus end = second.turns().start(SESSION, ask("t")).await();

            assertThat(end.state()).isEqualTo(TurnState.STOPPED);
            assertThat(runs).hasValue(1);
            assertThat(textOf(second, end.messageId())).isEqualTo("partial");
        }
    }

    @Test
    @Tag("S50")
    void a_lost_turn_whose_agent_is_gone_ends_as_interrupted() throws Exception {
        Resumes agent = new Resumes(Agent.Recovery.CONTINUE);
        try (Holdfast first = open(folder, agent)) {
            first.turns().start(SESSION, ask("t"));
            agent.emitted.await();
        }
        try (Holdfast second =
                open(folder, agent, settings -> TurnSettings.defaults().withAgent("another", agent))) {
            TurnStatus end = Await.until(
                    () -> second.turns().status(SESSION, "t").orElseThrow(),
                    status -> status.state().isOutcome());

            assertThat(end.state()).isEqualTo(TurnState.INTERRUPTED);
            assertThat(textOf(second, end.messageId())).isEqualTo("ab");
        }
    }

    @Test
    @Tag("S50")
    @Tag("recovery-park")
    void a_turn_that_waits_is_not_woken_by_a_restart() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        Agent asks = turn -> {
            runs.incrementAndGet();
            turn.emit("May I?");
            return AgentResult.awaiting("approval");
        };
        try (Holdfast first = open(folder, asks)) {
            first.turns().start(SESSION, ask("t")).await();
        }
        try (Holdfast second = open(folder, asks)) {
            assertThat(second.turns().status(SESSION, "t").orElseThrow().state())
                    .isEqualTo(TurnState.AWAITING);
            assertThat(second.turns().live(SESSION)).hasSize(1);
        }
        assertThat(runs).hasValue(1);
    }

    @Test
    void a_drain_lets_a_running_turn_finish_and_admits_no_new_one() throws Exception {
        CountDownLatch draining = new CountDownLatch(1);
        CountDownLatch emitted = new CountDownLatch(1);
        Agent agent = turn -> {
            turn.emit("a");
            emitted.countDown();
            draining.await();
            turn.emit("b");
            return AgentResult.completed();
        };
        try (Holdfast holdfast = open(folder, agent)) {
            TurnHandle turn = holdfast.turns().start(SESSION, ask("t"));
            emitted.await();
            Thread drain = Thread.ofVirtual().start(() -> holdfast.turns().drain(Duration.ofSeconds(30)));
            Await.until(
                    () -> {
                        try {
                            holdfast.turns().start(SESSION, ask("u"));
                            return "started";
                        } catch (RuntimeException e) {
                            return e.getClass().getSimpleName();
                        }
                    },
                    "Closed"::equals);
            draining.countDown();

            assertThat(turn.await().state()).isEqualTo(TurnState.COMPLETED);
            drain.join();
        }
    }

    @Test
    void whoever_waits_for_a_turn_when_the_process_ends_is_told_so() throws Exception {
        Resumes agent = new Resumes(Agent.Recovery.CONTINUE);
        TurnHandle turn;
        try (Holdfast first = open(folder, agent)) {
            turn = first.turns().start(SESSION, ask("t"));
            agent.emitted.await();
        }
        assertThatThrownBy(turn::await).isInstanceOf(Closed.class);
    }
}
