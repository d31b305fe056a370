package dev.holdfast.testkit.sim;

import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.RecoverySettings;
import dev.holdfast.turn.TurnContext;
import dev.holdfast.turn.TurnSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The agents of a history, and the runs they have had. */
final class Jobs {

    private final SessionSimulation simulation;
    private final Map<String, List<Job>> byMessage = new HashMap<>();

    /** Runs of this life that are not over, oldest first. */
    private final List<Job> running = new ArrayList<>();

    Jobs(SessionSimulation simulation) {
        this.simulation = simulation;
    }

    static String agent(SessionOp.Policy policy) {
        return policy.name().toLowerCase(Locale.ROOT);
    }

    TurnSettings settings() {
        TurnSettings settings = TurnSettings.defaults()
                .withLimits(simulation.setup.turns())
                .withRecovery(RecoverySettings.defaults()
                        .withStallTimeout(simulation.setup.stallTimeout())
                        .withWakeDebounce(Duration.ZERO)) // every loss counts
                .withAssembler(TurnEndings::assemble)
                .withAnswers(ToolCalls::apply);
        for (SessionOp.Policy policy : SessionOp.Policy.values()) {
            settings = settings.withAgent(agent(policy), new Told(policy));
        }
        return settings;
    }

    /** The run of this attempt; null if it never began. */
    @Nullable
    Job of(String messageId, ModelTurn.Attempt attempt) {
        List<Job> runs = byMessage.getOrDefault(attempt.life() + messageId, List.of());
        return attempt.number() < runs.size() ? runs.get(attempt.number()) : null;
    }

    @Nullable
    Job pick(int number) {
        running.removeIf(job -> job.over);
        return running.isEmpty() ? null : running.get(number % running.size());
    }

    void killAll() {
        running.forEach(Job::kill);
        running.clear();
    }

    private final class Told implements Agent {
        private final SessionOp.Policy policy;

        Told(SessionOp.Policy policy) {
            this.policy = policy;
        }

        @Override
        public AgentResult run(TurnContext turn) throws InterruptedException {
            List<Job> runs = byMessage.computeIfAbsent(simulation.life + turn.messageId(), key -> new ArrayList<>());
            boolean stubborn = simulation.setup.stubbornAgents() && runs.size() % 2 == 0;
            Job job = new Job(turn, simulation.life, runs.size(), stubborn);
            runs.add(job);
            running.add(job);
            return job.work(() -> simulation.reports.began(job));
        }

        @Override
        public Recovery recover(LostTurn turn) {
            return switch (policy) {
                case CONTINUE -> Recovery.CONTINUE;
                case RETRY -> Recovery.RETRY;
                case INTERRUPT -> Recovery.INTERRUPT;
                case FAILS_TO_SAY -> throw new IllegalStateException("told by the history");
            };
        }
    }
}
