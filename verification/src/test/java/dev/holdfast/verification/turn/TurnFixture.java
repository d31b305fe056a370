package dev.holdfast.verification.turn;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.turn.Agent;
import dev.holdfast.turn.RecoverySettings;
import dev.holdfast.turn.TurnLimits;
import dev.holdfast.turn.TurnRequest;
import dev.holdfast.turn.TurnSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;

/** A real store with one session, and the agent under test. */
final class TurnFixture {

    static final String SESSION = "s";
    static final String AGENT = "agent";

    private TurnFixture() {}

    static Holdfast open(Path folder, Agent agent) {
        return open(folder, agent, settings -> settings);
    }

    static Holdfast open(Path folder, Agent agent, UnaryOperator<TurnSettings> change) {
        TurnLimits limits = new TurnLimits(3, Duration.ofMinutes(5), Duration.ofMillis(50), Duration.ofSeconds(5));
        TurnSettings turns = change.apply(TurnSettings.defaults()
                .withLimits(limits)
                .withRecovery(RecoverySettings.defaults().withWakeDebounce(Duration.ZERO))
                .withAgent(AGENT, agent));
        Holdfast holdfast = Holdfast.open(folder, HoldfastSettings.defaults().withTurns(turns));
        holdfast.sessions().create(SESSION);
        return holdfast;
    }

    static TurnRequest ask(String turnId) {
        return TurnRequest.answer(turnId, AGENT, MessageDraft.of("ask-" + turnId, "user", "question of " + turnId));
    }

    static String textOf(Holdfast holdfast, String messageId) {
        return holdfast.sessions().get(SESSION).message(messageId).orElseThrow().text();
    }

    /** For agents that ignore their stop on purpose. */
    static void awaitThroughInterrupts(CountDownLatch latch) {
        boolean reached = false;
        while (!reached) {
            try {
                latch.await();
                reached = true;
            } catch (InterruptedException e) {
                reached = false; // goes on waiting
            }
        }
    }
}
