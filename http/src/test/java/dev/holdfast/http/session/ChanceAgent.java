package dev.holdfast.http.session;

import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnContext;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/** Emits some text with pauses, waits for someone now and then, and ends: what, the turn's name decides. */
final class ChanceAgent implements Agent {

    private static final int MAX_DELTAS = 12;
    private static final long MAX_PAUSE_NANOS = 400_000;

    @Override
    public AgentResult run(TurnContext turn) {
        SplittableRandom random =
                new SplittableRandom(turn.turnId().hashCode() + (turn.written().isPresent() ? 1 : 0));
        turn.emit("{\"type\":\"text-start\",\"id\":\"t\"}");
        for (int i = random.nextInt(MAX_DELTAS); i > 0; i--) {
            turn.emit("{\"type\":\"text-delta\",\"id\":\"t\",\"delta\":\"" + random.nextInt(1_000) + " \"}");
            if (random.nextInt(3) == 0) {
                LockSupport.parkNanos(random.nextLong(MAX_PAUSE_NANOS));
            }
        }
        turn.emit("{\"type\":\"text-end\",\"id\":\"t\"}");
        boolean waits = turn.written().isEmpty() && random.nextInt(3) == 0;
        return waits ? AgentResult.awaiting("someone") : AgentResult.completed();
    }
}
