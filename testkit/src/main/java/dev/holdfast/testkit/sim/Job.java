package dev.holdfast.testkit.sim;

import dev.holdfast.error.HoldfastException;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnContext;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** One run of an agent, which does what the history tells it, one thing after the other. */
final class Job {

    /** Something to do; returns how the run ends, or null if it goes on. */
    interface Task {
        @Nullable
        AgentResult perform(Job job) throws InterruptedException;
    }

    /** Thrown by an agent that is told to fail. */
    static final class AgentFailed extends RuntimeException {
        private static final long serialVersionUID = 1L;

        AgentFailed(String message) {
            super(message, null, false, false);
        }
    }

    final TurnContext context;
    final int life;
    final int number;
    private final boolean stubborn;
    private final ArrayDeque<Task> tasks = new ArrayDeque<>();
    private final Thread thread = Thread.currentThread();

    /** What it is about to emit: on the disk or not. */
    @Nullable
    List<String> pending;

    long pendingPosition = -1;

    /** How it ended by itself, and why it failed. */
    SessionOp.@Nullable End end;

    @Nullable
    String reason;

    boolean over;
    private boolean killed;

    /**
     * @param stubborn ignores interrupts, as an agent may
     */
    Job(TurnContext context, int life, int number, boolean stubborn) {
        this.context = context;
        this.life = life;
        this.number = number;
        this.stubborn = stubborn;
    }

    String messageId() {
        return context.messageId();
    }

    boolean isOf(ModelTurn.Attempt attempt) {
        return attempt.life() == life && attempt.number() == number;
    }

    void tell(Task task) {
        tasks.add(task);
        LockSupport.unpark(thread);
    }

    /** Its process is gone. */
    void kill() {
        killed = true;
        LockSupport.unpark(thread);
    }

    AgentResult work(Runnable first) throws InterruptedException {
        try {
            first.run();
            AgentResult result = null;
            while (result == null) {
                result = next().perform(this);
            }
            end = result instanceof AgentResult.Completed ? SessionOp.End.COMPLETES : SessionOp.End.AWAITS;
            return result;
        } catch (AgentFailed | HoldfastException e) {
            end = SessionOp.End.THROWS;
            reason = e.getMessage();
            throw e;
        } finally {
            over = true;
        }
    }

    private Task next() throws InterruptedException {
        while (true) {
            boolean interrupted = Thread.interrupted();
            if (killed || (!stubborn && (interrupted || context.stopRequested()))) {
                throw new InterruptedException();
            }
            Task task = tasks.poll();
            if (task != null) {
                return task;
            }
            LockSupport.park(this);
        }
    }

    /** Emits, and waits until the chunks are durable. */
    void emit(List<String> chunks, long position) {
        pending = chunks;
        pendingPosition = position;
        List<byte[]> bytes =
                chunks.stream().map(c -> c.getBytes(StandardCharsets.UTF_8)).toList();
        if (position < 0) {
            context.emit(bytes);
        } else {
            context.emit(bytes, position);
        }
    }
}
