package dev.holdfast.verification.turn;

import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.RecoverySettings;
import dev.holdfast.turn.TurnContext;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/** An agent whose runs do what the test says, by their number; an {@link IOException} of it may pass. */
final class Scripted implements Agent {

    /** What one run does, by its number from 1. */
    @FunctionalInterface
    interface Script {
        void run(int number, TurnContext turn) throws Exception;
    }

    final AtomicInteger runs = new AtomicInteger();
    private final Recovery recovery;
    private final Script script;

    Scripted(Recovery recovery, Script script) {
        this.recovery = recovery;
        this.script = script;
    }

    static Sim sim(Agent agent, UnaryOperator<RecoverySettings> change) {
        return new Sim(agent, settings -> settings.withRecovery(change.apply(RecoverySettings.defaults())));
    }

    static void hang() throws InterruptedException {
        new CountDownLatch(1).await();
    }

    void awaitRuns(int count) {
        Await.until(runs::get, now -> now >= count);
    }

    @Override
    public AgentResult run(TurnContext turn) throws Exception {
        script.run(runs.incrementAndGet(), turn);
        return AgentResult.completed();
    }

    @Override
    public Recovery recover(LostTurn turn) {
        return recovery;
    }

    @Override
    public boolean isTransient(Exception failure) {
        return failure instanceof IOException;
    }
}
