package dev.holdfast.verification.turn;

import static dev.holdfast.verification.turn.TurnFixture.SESSION;
import static dev.holdfast.verification.turn.TurnFixture.ask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.turn.Agent;
import dev.holdfast.turn.Incident;
import dev.holdfast.turn.RecoverySettings;
import dev.holdfast.turn.TurnHandle;
import dev.holdfast.turn.TurnLimits;
import dev.holdfast.turn.TurnState;
import dev.holdfast.turn.TurnStatus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Recovery of a turn within its budgets: after lost processes, stalls and failures of its provider. */
class RecoveryTest {

    private static final Duration STALL = Duration.ofSeconds(60);

    /** Far less than a stall, so that an agent that waits for a processor is not taken for one that hangs. */
    private static final Duration STEP = Duration.ofMillis(100);

    @Test
    void a_turn_that_stalls_again_and_again_fails_and_its_incident_tells_why_S83() throws Exception {
        Scripted agent = new Scripted(Agent.Recovery.RETRY, (run, turn) -> {
            turn.emit("partial");
            Scripted.hang();
        });
        try (Sim sim = new Sim(
                agent,
                settings -> settings.withRecovery(RecoverySettings.defaults().withStallTimeout(STALL))
                        .withLimits(
                                new TurnLimits(3, Duration.ofHours(1), Duration.ofMillis(1), Duration.ofSeconds(5))))) {
            sim.start(ask("t"));
            for (int run = 1; run <= 3; run++) {
                sim.runOn(agent, run, STEP);
                sim.awaitChunks("t", 1);
                sim.clock.advance(STALL);
            }

            TurnStatus end = sim.runOut("t", STEP);

            assertThat(end.state()).isEqualTo(TurnState.FAILED);
            assertThat(end.error()).contains("emitted nothing for 60000 ms", "3 times");
            assertThat(agent.runs).hasValue(3);
            assertThat(sim.textOf(end)).isEqualTo("partial");
            Incident incident = sim.turns().incidents(SESSION).getFirst();
            assertThat(incident.turnId()).isEqualTo("t");
            assertThat(incident.status()).isEqualTo(Incident.Status.GIVEN_UP);
            assertThat(incident.cause()).isEqualTo(Incident.Cause.STALLED);
            assertThat(incident.attempts()).isEqualTo(3);

            sim.clock.advance(RecoverySettings.INCIDENT_LIFE.plusSeconds(1));
            assertThat(sim.turns().incidents(SESSION)).isEmpty();
        }
    }

    @Test
    void a_failure_that_may_pass_is_tried_again_after_a_pause_S82() throws Exception {
        Scripted agent = new Scripted(Agent.Recovery.RETRY, (run, turn) -> {
            turn.emit("try " + run);
            if (run < 3) {
                throw new IOException("503");
            }
        });
        try (Sim sim = Scripted.sim(agent, recovery -> recovery)) {
            sim.start(ask("t"));
            Await.until(() -> sim.clock.pending(), pending -> pending > 0);
            assertThat(agent.runs).hasValue(1);

            TurnStatus end = sim.runOut("t", RecoverySettings.FIRST_PAUSE);

            assertThat(end.state()).isEqualTo(TurnState.COMPLETED);
            assertThat(sim.textOf(end)).isEqualTo("try 3");
            assertThat(sim.turns().incidents(SESSION)).isEmpty();
        }
    }

    @Test
    void a_failure_that_may_not_pass_ends_the_turn_at_once_S82() throws Exception {
        Scripted agent = new Scripted(Agent.Recovery.RETRY, (run, turn) -> {
            throw new IllegalStateException("bad request");
        });
        try (Sim sim = Scripted.sim(agent, recovery -> recovery)) {
            TurnStatus end = sim.start(ask("t")).await();
            assertThat(end.state()).isEqualTo(TurnState.FAILED);
            assertThat(end.error()).isEqualTo("bad request");
            assertThat(agent.runs).hasValue(1);
            assertThat(sim.turns().incidents(SESSION)).isEmpty();
        }
    }

    @Test
    @Tag("recovery-stop")
    void a_stop_while_a_turn_waits_for_its_next_attempt_ends_it_S82() throws Exception {
        Scripted agent = new Scripted(Agent.Recovery.RETRY, (run, turn) -> {
            turn.emit("partial");
            throw new IOException("503");
        });
        try (Sim sim = Scripted.sim(agent, recovery -> recovery)) {
            TurnHandle turn = sim.start(ask("t"));
            Await.until(() -> sim.clock.pending(), pending -> pending > 0);

            assertThat(sim.turns().stop(SESSION, "t", "enough").accepted()).isTrue();

            TurnStatus end = turn.await();
            assertThat(end.state()).isEqualTo(TurnState.STOPPED);
            assertThat(sim.textOf(end)).isEqualTo("partial");
            assertThat(agent.runs).hasValue(1);
            assertThat(sim.turns().incidents(SESSION)).isEmpty();
        }
    }

    @Test
    @Tag("wire-storm")
    void a_storm_of_restarts_counts_once_and_the_turn_survives_it_S83() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        Scripted agent = new Scripted(Agent.Recovery.RETRY, (run, turn) -> go.await());
        try (Sim sim = new Sim(
                agent,
                settings -> settings.withLimits(
                        new TurnLimits(3, Duration.ofHours(1), Duration.ofMillis(1), Duration.ofSeconds(5))))) {
            sim.start(ask("t"));
            for (int i = 1; i <= 10; i++) {
                agent.awaitRuns(i);
                sim.clock.advance(Duration.ofSeconds(1));
                sim.crash();
            }
            agent.awaitRuns(11);
            assertThat(sim.turns().incidents(SESSION).getFirst().attempts()).isEqualTo(1);
            go.countDown();

            assertThat(sim.awaitOutcome("t").state()).isEqualTo(TurnState.COMPLETED);
            assertThat(sim.turns().incidents(SESSION)).isEmpty();
        }
    }

    @Test
    void restarts_that_lie_apart_count_each_S83() throws Exception {
        Scripted agent = new Scripted(Agent.Recovery.RETRY, (run, turn) -> Scripted.hang());
        try (Sim sim = new Sim(
                agent,
                settings -> settings.withLimits(
                        new TurnLimits(3, Duration.ofHours(1), Duration.ofMillis(1), Duration.ofSeconds(5))))) {
            sim.start(ask("t"));
            for (int i = 1; i <= 3; i++) {
                agent.awaitRuns(i);
                sim.clock.advance(RecoverySettings.DEFAULT_WAKE_DEBOUNCE);
                sim.crash();
            }

            TurnStatus end = sim.awaitOutcome("t");
            assertThat(end.state()).isEqualTo(TurnState.INTERRUPTED);
            assertThat(end.error()).contains("3 times");
            assertThat(agent.runs).hasValue(3);
        }
    }

    @Test
    @Tag("recovery-exhausted")
    void a_turn_without_progress_for_too_long_ends_S83() throws Exception {
        Scripted agent = new Scripted(Agent.Recovery.CONTINUE, (run, turn) -> Scripted.hang());
        try (Sim sim = new Sim(agent, settings -> settings)) {
            sim.start(ask("t"));
            for (int i = 1; i <= 2; i++) {
                agent.awaitRuns(i);
                sim.clock.advance(Duration.ofMinutes(4));
                sim.crash();
            }

            TurnStatus end = sim.awaitOutcome("t");
            assertThat(end.state()).isEqualTo(TurnState.INTERRUPTED);
            assertThat(end.error()).contains("no progress for 480 s");
        }
    }

    @Test
    @Tag("recovery-exhausted")
    void work_is_bounded_although_each_attempt_gets_further_S83() throws Exception {
        Scripted agent = new Scripted(Agent.Recovery.CONTINUE, (run, turn) -> {
            turn.emit(List.of(bytes("a"), bytes("b"), bytes("c")));
            throw new IOException("503");
        });
        try (Sim sim = Scripted.sim(agent, recovery -> recovery.withMaxWork(10))) {
            sim.start(ask("t"));
            TurnStatus end = sim.runOut("t", RecoverySettings.FIRST_PAUSE);
            assertThat(end.state()).isEqualTo(TurnState.FAILED);
            assertThat(end.error()).contains("503", "more than 10");
            assertThat(agent.runs).hasValue(5); // the work of the first attempt was no recovery's
        }
    }

    @Test
    @Tag("S58")
    void getting_further_resets_the_attempts_and_getting_as_far_again_does_not_S83() throws Exception {
        Scripted agent = new Scripted(Agent.Recovery.RETRY, (run, turn) -> {
            int length = run <= 5 ? run : 5; // five times further, then never again
            for (int i = 0; i < length; i++) {
                turn.emit("x");
            }
            throw new IOException("503");
        });
        try (Sim sim = new Sim(
                agent,
                settings -> settings.withLimits(
                        new TurnLimits(3, Duration.ofHours(1), Duration.ofMillis(1), Duration.ofSeconds(5))))) {
            sim.start(ask("t"));
            assertThat(sim.runOut("t", RecoverySettings.FIRST_PAUSE).state()).isEqualTo(TurnState.FAILED);
            assertThat(agent.runs).hasValue(7);
        }
    }

    @Test
    void the_application_may_end_a_recovery_and_a_predicate_that_throws_does_not_S83() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        Scripted agent = new Scripted(Agent.Recovery.RETRY, (run, turn) -> {
            throw new IOException("503");
        });
        try (Sim sim = Scripted.sim(
                agent,
                recovery -> recovery.whileTrue(incident -> {
                    assertThat(incident.turnId()).isEqualTo("t");
                    if (asked.incrementAndGet() == 1) {
                        throw new IllegalStateException("expected by the test");
                    }
                    return false;
                }))) {
            sim.start(ask("t"));
            TurnStatus end = sim.runOut("t", RecoverySettings.FIRST_PAUSE);
            assertThat(end.state()).isEqualTo(TurnState.FAILED);
            assertThat(end.error()).contains("does not want");
            assertThat(asked).as("from the second attempt on").hasValue(2);
            assertThat(agent.runs).hasValue(3);
        }
    }

    @Test
    @Tag("S64")
    void a_client_that_was_away_learns_the_error_after_a_restart_S86() throws Exception {
        Scripted agent = new Scripted(Agent.Recovery.RETRY, (run, turn) -> {
            throw new IllegalStateException("the model refused");
        });
        try (Sim sim = Scripted.sim(agent, recovery -> recovery)) {
            long before = sim.session().feed().next();
            sim.start(ask("t")).await();

            sim.crash();

            TurnStatus end = sim.start(ask("t")).await();
            assertThat(end.state()).isEqualTo(TurnState.FAILED);
            assertThat(end.error()).isEqualTo("the model refused");
            assertThat(sim.session().feed().read(before, 100).getLast().detail())
                    .isEqualTo("failed:the model refused");
        }
    }

    @Test
    void an_incident_of_another_version_is_passed_over_S89() throws Exception {
        Scripted agent = new Scripted(Agent.Recovery.RETRY, (run, turn) -> {
            if (run == 1) {
                throw new IOException("503");
            }
        });
        try (Sim sim = Scripted.sim(agent, recovery -> recovery)) {
            sim.crash(store -> KeptProperties.put(
                    store, "holdfast/incident/00000000000000000000000000000000", new byte[] {99, 1}));
            assertThat(sim.turns().incidents(SESSION)).isEmpty();
            sim.start(ask("t"));
            assertThat(sim.runOut("t", RecoverySettings.FIRST_PAUSE).state()).isEqualTo(TurnState.COMPLETED);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
