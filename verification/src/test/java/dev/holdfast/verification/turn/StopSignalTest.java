package dev.holdfast.verification.turn;

import static dev.holdfast.verification.turn.TurnFixture.SESSION;
import static dev.holdfast.verification.turn.TurnFixture.ask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.StopResult;
import dev.holdfast.turn.TurnHandle;
import dev.holdfast.turn.TurnState;
import dev.holdfast.turn.TurnStatus;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Turns that an application ties to a signal of its own: whatever fires it stops them, by {@code Turns.stop}. */
class StopSignalTest {

    /** What the application ties its turns to; it fires once, at any time. */
    private final CompletableFuture<String> signal = new CompletableFuture<>();

    private CompletableFuture<StopResult> tie(Sim sim, String turn) {
        return signal.thenApply(reason -> sim.turns().stop(SESSION, turn, reason));
    }

    @Test
    void one_signal_stops_the_turn_that_runs_and_those_that_wait_and_changes_none_that_ended_S78() throws Exception {
        Stage stage = new Stage().hold("runs");
        try (Sim sim = new Sim(stage)) {
            CompletableFuture<StopResult> ended = tie(sim, "ended");
            sim.start(ask("ended")).await();
            CompletableFuture<StopResult> runs = tie(sim, "runs");
            TurnHandle running = sim.start(ask("runs"));
            CompletableFuture<StopResult> waits = tie(sim, "waits");
            TurnHandle waiting = sim.start(ask("waits"));
            Await.until(stage::order, order -> order.contains("runs"));

            signal.complete("enough");

            assertThat(runs.get().accepted()).isTrue();
            assertThat(waits.get().accepted()).isTrue();
            assertThat(ended.get().accepted()).isFalse();
            assertThat(ended.get().state()).isEqualTo(TurnState.COMPLETED);
            for (TurnHandle turn : List.of(running, waiting)) {
                TurnStatus end = turn.await();
                assertThat(end.state()).isEqualTo(TurnState.STOPPED);
                assertThat(end.error()).isEqualTo("enough");
            }
            assertThat(sim.status("ended").state()).isEqualTo(TurnState.COMPLETED);
            assertThat(sim.textOf(sim.status("runs"))).isEqualTo("answer of runs");
            assertThat(stage.order()).containsExactly("ended", "runs");
        }
    }

    @Test
    void a_signal_that_fired_before_the_start_stops_the_turn_before_its_agent_begins_S78() throws Exception {
        Stage stage = new Stage();
        try (Sim sim = new Sim(stage)) {
            signal.complete("too late");
            assertThat(tie(sim, "t").get().accepted()).isTrue();

            assertThat(sim.start(ask("t")).await().state()).isEqualTo(TurnState.STOPPED);
            assertThat(sim.start(ask("next")).await().state()).isEqualTo(TurnState.COMPLETED);
            assertThat(stage.order()).containsExactly("next");
        }
    }

    @Test
    void what_an_agent_hung_on_the_stop_of_its_turn_is_gone_with_the_turn_S78() throws Exception {
        List<String> heard = new CopyOnWriteArrayList<>();
        CountDownLatch last = new CountDownLatch(1);
        Agent agent = turn -> {
            turn.onStop(() -> heard.add(turn.turnId()));
            turn.emit("said");
            if (turn.turnId().equals("last")) {
                last.countDown();
                Scripted.hang();
            }
            return AgentResult.completed();
        };
        try (Sim sim = new Sim(agent)) {
            for (int i = 0; i < 20; i++) {
                CompletableFuture<StopResult> unused = tie(sim, "t" + i);
                assertThat(sim.start(ask("t" + i)).await().state()).isEqualTo(TurnState.COMPLETED);
            }
            CompletableFuture<StopResult> stopped = tie(sim, "last");
            TurnHandle turn = sim.start(ask("last"));
            last.await();

            signal.complete("enough");

            assertThat(stopped.get().accepted()).isTrue();
            assertThat(turn.await().state()).isEqualTo(TurnState.STOPPED);
            assertThat(heard).containsExactly("last");
            assertThat(sim.turns().running()).isZero();
        }
    }

    @Test
    void a_stop_holds_whatever_the_agent_throws_at_it_S78() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        AtomicInteger cut = new AtomicInteger();
        Agent agent = turn -> {
            turn.onStop(() -> {
                throw new IllegalStateException("this one fails");
            });
            turn.onStop(cut::incrementAndGet);
            turn.emit("partial");
            begun.countDown();
            try {
                Scripted.hang();
            } catch (InterruptedException e) {
                throw new IllegalStateException("so does the agent", e);
            }
            return AgentResult.completed();
        };
        try (Sim sim = new Sim(agent)) {
            CompletableFuture<StopResult> stopped = tie(sim, "t");
            TurnHandle turn = sim.start(ask("t"));
            begun.await();

            signal.complete("enough");

            assertThat(stopped.get().accepted()).isTrue();
            TurnStatus end = turn.await();
            assertThat(end.state()).isEqualTo(TurnState.STOPPED);
            assertThat(sim.textOf(end)).isEqualTo("partial");
            assertThat(cut).hasValue(1);
        }
    }
}
