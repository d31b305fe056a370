package dev.holdfast.verification.turn;

import static dev.holdfast.verification.turn.TurnFixture.SESSION;
import static dev.holdfast.verification.turn.TurnFixture.ask;
import static dev.holdfast.verification.turn.TurnFixture.open;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.error.HoldfastException.Closed;
import dev.holdfast.error.HoldfastException.SessionNotFound;
import dev.holdfast.stream.CommitCallback;
import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnHandle;
import dev.holdfast.turn.TurnsInMemory;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of turns whose session is deleted. */
final class DeletedSessionTest {

    @TempDir
    private Path folder;

    @Test
    void deleting_the_session_ends_its_running_turn() throws Exception {
        CountDownLatch emitted = new CountDownLatch(1);
        CountDownLatch deleted = new CountDownLatch(1);
        CompletableFuture<Throwable> refused = new CompletableFuture<>();
        Agent agent = turn -> {
            turn.emit("a");
            emitted.countDown();
            TurnFixture.awaitThroughInterrupts(deleted); // the deletion interrupts the agent, which goes on regardless
            try {
                turn.emit("b");
            } catch (RuntimeException e) {
                refused.complete(e);
                throw e;
            }
            return AgentResult.completed();
        };
        try (Holdfast holdfast = open(folder, agent)) {
            holdfast.turns().start(SESSION, ask("t"));
            emitted.await();

            holdfast.sessions().delete(SESSION);
            deleted.countDown();

            assertThat(refused.get()).isNotNull();
            assertThatThrownBy(() -> holdfast.turns().start(SESSION, ask("t"))).isInstanceOf(SessionNotFound.class);
            TurnsInMemory.awaitNone(holdfast.turns());
        }
    }

    @Test
    void deleting_the_session_wakes_an_agent_that_waits() throws Exception {
        CountDownLatch emitted = new CountDownLatch(1);
        CompletableFuture<Boolean> woken = new CompletableFuture<>();
        Agent agent = turn -> {
            turn.emit("a");
            emitted.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                woken.complete(turn.stopRequested());
                throw e;
            }
            return AgentResult.completed();
        };
        try (Holdfast holdfast = open(folder, agent)) {
            holdfast.turns().start(SESSION, ask("t"));
            emitted.await();

            holdfast.sessions().delete(SESSION);

            assertThat(woken.get()).isTrue();
            TurnsInMemory.awaitNone(holdfast.turns());
        }
    }

    @Test
    void deleting_the_session_forgets_what_waits_S74() throws Exception {
        Stage stage = new Stage().hold("a");
        try (Sim sim = new Sim(stage)) {
            sim.start(ask("a"));
            TurnHandle waiting = sim.start(ask("b"));

            sim.holdfast().sessions().delete(SESSION);

            assertThatThrownBy(waiting::await).isInstanceOf(Closed.class);
            assertThat(stage.order()).doesNotContain("b");
            TurnsInMemory.awaitNone(sim.turns());
        }
    }

    @Test
    void deleting_the_session_lets_go_of_what_its_waiting_turns_were_to_commit_S74() throws Exception {
        Stage stage = new Stage().hold("a");
        try (Sim sim = new Sim(stage)) {
            sim.start(ask("a"));
            WeakReference<CommitCallback> commit = startWaiting(sim);

            sim.holdfast().sessions().delete(SESSION);

            Await.until(
                    () -> {
                        System.gc();
                        return commit.get() == null;
                    },
                    gone -> gone);
        }
    }

    /** A turn that waits, and what it is to commit, which nobody else holds. */
    private static WeakReference<CommitCallback> startWaiting(Sim sim) {
        byte[] own = new byte[1];
        CommitCallback commit = scope -> own[0]++;
        var unused = sim.start(ask("b").committing(commit));
        return new WeakReference<>(commit);
    }
}
