package dev.holdfast.testkit.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnContext;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An agent whose first attempt says "attempt 1" and then works until it is interrupted; the next one says "attempt 2" and is done. Thread-safe:
 * all nodes of a cluster may have the same one.
 */
public final class SlowOnce implements Agent {

    private final AtomicInteger runs = new AtomicInteger();
    private final Set<String> interrupted = ConcurrentHashMap.newKeySet();
    private final CountDownLatch begun;
    private final CountDownLatch never = new CountDownLatch(1);

    /**
     * @param turns that are begun
     */
    public SlowOnce(int turns) {
        this.begun = new CountDownLatch(turns);
    }

    @Override
    public AgentResult run(TurnContext turn) throws InterruptedException {
        runs.incrementAndGet();
        turn.emit(("attempt " + turn.attempt()).getBytes(UTF_8));
        if (turn.attempt() == 1) {
            begun.countDown();
            try {
                never.await();
            } catch (InterruptedException e) {
                interrupted.add(turn.sessionId());
                throw e;
            }
        }
        return AgentResult.completed();
    }

    /** Waits until all turns have said something. */
    public void awaitBegun() throws InterruptedException {
        if (!begun.await(1, TimeUnit.MINUTES)) {
            throw new AssertionError(begun.getCount() + " turns have not begun");
        }
    }

    /** Attempts so far, of all turns. */
    public int runs() {
        return runs.get();
    }

    /** The sessions whose first attempt was interrupted. */
    public Set<String> interrupted() {
        return Set.copyOf(interrupted);
    }
}
