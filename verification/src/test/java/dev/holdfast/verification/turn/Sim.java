package dev.holdfast.verification.turn;

import static dev.holdfast.verification.turn.TurnFixture.AGENT;
import static dev.holdfast.verification.turn.TurnFixture.SESSION;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.session.History;
import dev.holdfast.session.Session;
import dev.holdfast.store.Store;
import dev.holdfast.stream.StreamStatus;
import dev.holdfast.testkit.ScriptedDisk;
import dev.holdfast.testkit.SimStore;
import dev.holdfast.turn.Agent;
import dev.holdfast.turn.TurnHandle;
import dev.holdfast.turn.TurnRequest;
import dev.holdfast.turn.TurnSettings;
import dev.holdfast.turn.TurnStatus;
import dev.holdfast.turn.Turns;
import dev.holdfast.verification.rig.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** Turns on the simulated store, with the clock in the test's hand: one session, one agent. */
final class Sim implements AutoCloseable {

    final ScriptedDisk disk = new ScriptedDisk();
    final ManualClock clock = new ManualClock();
    private final Agent agent;
    private final UnaryOperator<TurnSettings> change;
    private SimStore store;
    private Holdfast holdfast;

    Sim(Agent agent) {
        this(agent, settings -> settings);
    }

    Sim(Agent agent, UnaryOperator<TurnSettings> change) {
        this.agent = agent;
        this.change = change;
        this.store = new SimStore(disk, clock);
        this.holdfast = opened();
        holdfast.sessions().create(SESSION);
    }

    private Holdfast opened() {
        TurnSettings turns = change.apply(TurnSettings.defaults().withAgent(AGENT, agent));
        return Holdfast.open(store, HoldfastSettings.defaults().withTurns(turns).withTime(clock, clock::timers));
    }

    /** The process dies, and another one opens the store. */
    void crash() {
        crash(between -> {});
    }

    /** As above; the store is someone else's in between. */
    void crash(Consumer<Store> meanwhile) {
        disk.kill();
        holdfast.close();
        disk.restart(0);
        try (SimStore between = new SimStore(disk, clock)) {
            meanwhile.accept(between);
        }
        store = new SimStore(disk, clock);
        holdfast = opened();
    }

    SimStore store() {
        return store;
    }

    Holdfast holdfast() {
        return holdfast;
    }

    Turns turns() {
        return holdfast.turns();
    }

    Session session() {
        return holdfast.sessions().get(SESSION);
    }

    TurnHandle start(TurnRequest request) {
        return turns().start(SESSION, request);
    }

    TurnStatus status(String turn) {
        return turns().status(SESSION, turn).orElseThrow();
    }

    TurnStatus awaitOutcome(String turn) {
        return Await.until(() -> status(turn), status -> status.state().isOutcome());
    }

    /** Moves the clock, step by step, until the turn has its outcome. */
    TurnStatus runOut(String turn, Duration step) {
        return Await.until(
                () -> {
                    clock.advance(step);
                    return status(turn);
                },
                status -> status.state().isOutcome());
    }

    /** Moves the clock, step by step, until the agent runs for the {@code count}th time. */
    void runOn(Scripted scripted, int count, Duration step) {
        Await.until(
                () -> {
                    clock.advance(step);
                    return scripted.runs.get();
                },
                runs -> runs >= count);
    }

    /** Waits until the stream of the turn's latest attempt has so many chunks. */
    void awaitChunks(String turn, long count) {
        Await.until(
                () -> holdfast.streams()
                        .status(String.valueOf(status(turn).streamName()))
                        .map(StreamStatus::tail)
                        .orElse(-1L),
                tail -> tail == count);
    }

    String textOf(TurnStatus turn) {
        return session().message(turn.messageId()).orElseThrow().text();
    }

    /** The conversation as it stands, root first. */
    List<String> path() {
        List<String> texts = new ArrayList<>();
        History history = session().history();
        while (history.hasNext()) {
            texts.add(history.next().text());
        }
        return texts;
    }

    @Override
    public void close() {
        holdfast.close();
    }
}
