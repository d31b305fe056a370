package dev.holdfast.testkit.sim;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.error.HoldfastException.StaleEpoch;
import dev.holdfast.error.HoldfastException.StoreBusy;
import dev.holdfast.error.HoldfastException.StoreFailed;
import dev.holdfast.error.HoldfastException.StoreFull;
import dev.holdfast.error.HoldfastException.StorePoisoned;
import dev.holdfast.error.HoldfastException.StreamClosed;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import java.util.List;
import java.util.Objects;

/** What agents are told of their chunks, held against the model. */
final class AgentReports {

    private final SessionSimulation simulation;

    AgentReports(SessionSimulation simulation) {
        this.simulation = simulation;
    }

    /** An agent's chunks are durable, it was told. */
    void acknowledged(Job job, List<String> chunks, long position) {
        simulation.acknowledge(() -> {
            ModelTurn turn = simulation.model.turnsByMessage.get(job.messageId());
            Violation.unless(
                    turn != null && turn.live() && !turn.session.gone && job.isOf(turn.attempt()),
                    "ONE-WRITER: an agent of %s wrote on though its run is over",
                    turn);
            Objects.requireNonNull(turn).attempt().chunks().list.addAll(chunks);
            for (ModelTurn nesting = turn; nesting != null; nesting = nesting.parent) {
                nesting.quietSince = simulation.time.wallMillis();
            }
            if (position >= 0) {
                turn.attempt().chunks().position = position;
            }
        });
    }

    /** An agent may be refused because its run is over, or for what the disk's script did. */
    void refused(Job job, HoldfastException error) {
        simulation.find(() -> {
            ModelTurn turn = simulation.model.turnsByMessage.get(job.messageId());
            boolean fault = error instanceof StoreFull || error instanceof StoreBusy || error instanceof StoreFailed;
            boolean over =
                    error instanceof StreamClosed || error instanceof StaleEpoch || error instanceof StreamNotFound;
            if (fault) {
                Violation.expectFault(error);
            } else if (error instanceof StorePoisoned || error instanceof HoldfastException.Closed) {
                Violation.unless(
                        simulation.down() || job.life < simulation.life, "an agent was turned away by a healthy store");
            } else {
                Violation.unless(
                        over
                                && (turn == null
                                        || turn.session.gone
                                        || !turn.live()
                                        || turn.stopRequested
                                        || turn.mayBeStalled
                                        || simulation.down()
                                        || !job.isOf(turn.attempt())),
                        "an agent of %s was refused without a reason: %s",
                        turn,
                        error);
            }
        });
    }

    /** An agent began; after a crash it looks at what it has (EXACT-PREFIX). */
    void began(Job job) {
        if (job.context.attempt() == 1) {
            return;
        }
        List<String> prefix =
                job.context.prefix().stream().map(SessionSimulation::text).toList();
        simulation.find(() -> {
            ModelTurn turn = simulation.model.turnsByMessage.get(job.messageId());
            if (turn != null && job.isOf(turn.attempt())) {
                ModelTurn.Attempt attempt = turn.attempt();
                Violation.unless(
                        prefix.equals(attempt.chunks().list.subList(0, (int) attempt.prefix())),
                        "EXACT-PREFIX: the agent of %s goes on after %s, acknowledged are %s",
                        turn,
                        prefix,
                        attempt.chunks().list);
            }
        });
        long position = job.context.position().orElse(-1);
        simulation.find(() -> {
            ModelTurn turn = simulation.model.turnsByMessage.get(job.messageId());
            Violation.unless(
                    turn == null
                            || !job.isOf(turn.attempt())
                            || position == turn.attempt().chunks().position,
                    "EXACT-PREFIX: the agent of %s is told the position %d",
                    turn,
                    position);
        });
    }
}
