package dev.holdfast.mcp.tasks;

import dev.holdfast.error.HoldfastException;
import io.modelcontextprotocol.modern.McpException;
import io.modelcontextprotocol.modern.McpSchema;
import io.modelcontextprotocol.modern.server.McpAsyncResponse;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A task that is not done. Its tool runs on a thread of its own, or it waits for input without one.
 *
 * <p>One lock orders all that changes it, and is held until the change is durable; how it stands is published only then, so that whoever looks sees
 * what a restart would find (VISIBLE-IS-DURABLE). Completion, failure, cancellation and the end of its time all want to end it: the one that
 * settles its stream does, the others find it done (ONE-OUTCOME).
 *
 * <p>Thread-safe.
 */
final class LiveTask {

    private static final Logger LOG = LoggerFactory.getLogger(LiveTask.class);

    private final TaskLog log;
    private final TaskRuns runs;
    private final ReentrantLock lock = new ReentrantLock();

    /** How it stands; changed under the lock, after the commit. */
    private volatile TaskState state;

    // Guarded by the lock.
    private @Nullable Attempt<?> attempt;

    /** What it holds in memory, as JSON. */
    private long bytes;

    /** Set when it is over or given up; nothing is written from then on. */
    private boolean closed;

    /**
     * @param bytes what it holds in memory, which is counted already
     */
    LiveTask(TaskLog log, TaskState state, TaskRuns runs, long bytes) {
        this.log = log;
        this.state = state;
        this.runs = runs;
        this.bytes = bytes;
    }

    /** What it holds in memory, as JSON; for whoever made it, and for {@link TaskRuns#ended}. */
    long bytes() {
        return bytes;
    }

    TaskSpec spec() {
        return log.spec();
    }

    TaskState state() {
        return state;
    }

    /** Calls the tool, with the answers that it got by now. */
    void run() {
        guarded(() -> {
            lock.lock();
            try {
                if (!closed) {
                    follow(runs.call(spec(), state.round()));
                }
            } finally {
                lock.unlock();
            }
        });
    }

    /** Takes a step of its own accord. What the step throws nobody else would hear of, and so it ends the task. */
    private void guarded(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            LOG.error("{} fails by a defect", spec().label(), e);
            try {
                end(Ending.failed(TaskErrors.internal()));
            } catch (RuntimeException again) {
                LOG.error("{} is given up; the next start takes it up", spec().label(), again);
                letGo();
            }
        }
    }

    private void later(Runnable step) {
        runs.later(() -> guarded(step));
    }

    /** Goes on with a call that began as an ordinary request. */
    void adopt(Attempt<McpAsyncResponse<? extends McpSchema.Result>> begun) {
        lock.lock();
        try {
            if (closed) {
                begun.cancel();
            } else {
                follow(begun);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Goes on with a tool that told its caller of its progress until now. */
    void adopt(Attempt<McpSchema.Result> begun, ChangingNotifier told) {
        told.change(notifier());
        lock.lock();
        try {
            if (closed) {
                begun.cancel();
            } else {
                followBody(begun);
            }
        } finally {
            lock.unlock();
        }
    }

    /** For one run of the tool: progress begins anew with each. */
    private LogNotifier notifier() {
        return new LogNotifier(this, runs.mapper());
    }

    private void follow(Attempt<McpAsyncResponse<? extends McpSchema.Result>> begun) {
        attempt = begun;
        begun.whenDone((response, failure) -> guarded(() -> {
            if (response instanceof McpAsyncResponse.Streaming<? extends McpSchema.Result> streaming) {
                stream(streaming);
            } else if (response instanceof McpAsyncResponse.Result<? extends McpSchema.Result> result) {
                done(result.result());
            } else {
                failed(failure);
            }
        }));
    }

    private void stream(McpAsyncResponse.Streaming<? extends McpSchema.Result> streaming) {
        lock.lock();
        try {
            if (!closed) {
                followBody(Attempt.stream(streaming, notifier()));
            }
        } finally {
            lock.unlock();
        }
    }

    private void followBody(Attempt<McpSchema.Result> begun) {
        attempt = begun;
        begun.whenDone((result, failure) -> guarded(() -> {
            if (result != null) {
                done(result);
            } else {
                failed(failure);
            }
        }));
    }

    private void done(McpSchema.Result result) {
        if (result instanceof McpSchema.InputRequired questions) {
            asked(questions);
        } else {
            end(Ending.completed(runs.members(result)));
        }
    }

    private void failed(@Nullable Throwable failure) {
        if (failure instanceof McpException refused) {
            end(Ending.failed(runs.plain(refused.error())));
        } else {
            if (!isClosed()) {
                LOG.warn("The tool of {} failed", spec().label(), failure);
            }
            end(Ending.failed(TaskErrors.internal()));
        }
    }

    /** Fails a task whose tool ran when the process ended. */
    void failRestarted() {
        guarded(() -> end(Ending.failed(TaskErrors.restarted())));
    }

    /** Ends it with what its tool came to. What the store does not take now is tried again. */
    private void end(Ending ending) {
        lock.lock();
        try {
            if (!closed) {
                settle(ending);
            }
        } catch (TaskLog.TooLarge e) {
            end(Ending.failed(TaskErrors.tooLarge("The outcome", e.bytes())));
        } catch (HoldfastException e) {
            if (runs.isGivenUp(spec(), e)) {
                over();
            } else {
                later(() -> end(ending));
            }
        } finally {
            lock.unlock();
        }
    }

    private void settle(Ending ending) {
        TaskState next = ending.state(runs.now());
        log.change("outcome", ending.data(), next);
        state = next;
        over();
    }

    private void over() {
        closed = true;
        attempt = null;
        runs.ended(this);
    }

    private void asked(McpSchema.InputRequired questions) {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            InputRound before = state.round();
            InputRound round = runs.round(before == null ? 1 : before.number() + 1, questions);
            String fault = runs.fault(spec(), round);
            if (fault != null) {
                LOG.warn("{}: {}", spec().label(), fault);
                end(Ending.failed(TaskErrors.failed(fault)));
                return;
            }
            attempt = null;
            if (round.requests().isEmpty()) {
                change("status", Map.of("status", TaskState.Status.WORKING.wire()), state.answered(round, runs.now()));
                later(this::run);
            } else {
                change(
                        "input_requested",
                        Map.of("inputRequests", round.outstanding()),
                        state.asking(round, runs.now()));
            }
        } catch (TaskLog.TooLarge e) {
            end(Ending.failed(TaskErrors.tooLarge("The tool's questions", e.bytes())));
        } catch (McpException e) { // there is no room to keep them
            end(Ending.failed(e.error()));
        } catch (HoldfastException e) {
            if (runs.isGivenUp(spec(), e)) {
                over();
            } else {
                later(() -> asked(questions));
            }
        } finally {
            lock.unlock();
        }
    }

    private void change(String type, Map<String, ? extends @Nullable Object> data, TaskState next) {
        long more = InputRound.bytes(next.round()) - InputRound.bytes(state.round());
        runs.holding(spec(), more, () -> log.change(type, data, next));
        bytes += more;
        state = next;
        runs.changed(this);
    }

    /**
     * Takes answers. Those that answer no open question are ignored. Durable when it returns.
     *
     * @throws McpException if they are too large together, or unfinished tasks hold too much
     */
    void answer(Map<?, ?> responses) {
        lock.lock();
        try {
            InputRound round = state.round();
            if (closed || state.status() != TaskState.Status.INPUT_REQUIRED || round == null) {
                return;
            }
            InputRound more = round.with(responses);
            if (more.equals(round)) {
                return;
            }
            Map<String, @Nullable Object> said = new LinkedHashMap<>(round.outstanding());
            said.keySet().removeAll(more.outstanding().keySet());
            TaskState next = state.answered(more, runs.now());
            change("input_received", Map.of("status", next.status().wire(), "keys", said.keySet()), next);
            if (more.isAnswered()) {
                run();
            }
        } catch (TaskLog.TooLarge e) {
            throw TaskErrors.invalid("The answers have %d bytes together; MAX_EVENT_BYTES allows %d."
                    .formatted(e.bytes(), TaskSettings.MAX_EVENT_BYTES));
        } finally {
            lock.unlock();
        }
    }

    /**
     * Something that the tool tells while it runs. Nothing of it is kept once the task is done. What the store has no room or no time for is left
     * out, with a line in the log: progress is no reason for a tool to fail.
     */
    void told(
            String type,
            Map<String, ? extends @Nullable Object> data,
            @Nullable String message,
            BooleanSupplier worthy) {
        lock.lock();
        try {
            if (closed || state.status() != TaskState.Status.WORKING || !worthy.getAsBoolean()) {
                return;
            }
            long now = runs.now();
            if (message == null) {
                log.event(type, now, data, state);
            } else {
                TaskState next = state.saying(message, now);
                log.saying(type, data, next);
                state = next;
            }
        } catch (TaskLog.TooLarge e) {
            LOG.warn("{} leaves out what its tool told: {}", spec().label(), e.getMessage());
        } catch (HoldfastException e) {
            if (runs.isGivenUp(spec(), e)) {
                letGo();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Cancels it, durably, and interrupts its tool; nothing if it is done.
     *
     * @throws HoldfastException if the store does not take it; then it goes on
     */
    void cancel() {
        lock.lock();
        try {
            Attempt<?> running = attempt;
            if (!closed) {
                settle(Ending.CANCELLED);
                if (running != null) {
                    running.cancel();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Lets go of it without an outcome: its time is over, or the process is about to end. Does not wait for the store. */
    void abandon() {
        Thread.ofVirtual().name("holdfast-mcp-abandon").start(this::letGo);
    }

    private void letGo() {
        lock.lock();
        try {
            if (!closed) {
                Attempt<?> running = attempt;
                over();
                if (running != null) {
                    running.cancel();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }
}
