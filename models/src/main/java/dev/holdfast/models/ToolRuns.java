package dev.holdfast.models;

import dev.holdfast.turn.TurnContext;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the tool calls of one answer at once, each on a virtual thread of its own, at most {@link ModelLimits#MAX_PARALLEL_TOOLS} at a time. A stop of
 * the turn interrupts them all; a call whose time is over is interrupted alone. What a tool says after that goes nowhere.
 *
 * <p>Results are handed to the turn's thread in the order in which they come. Their queue holds at most one per call.
 */
final class ToolRuns {

    private static final Logger LOG = LoggerFactory.getLogger(ToolRuns.class);
    private static final int MAX_ERROR_CHARS = 8 << 10;

    record Run(ToolCall call, Tool tool, Tool.Executor executor) {}

    record Result(ToolCall call, ToolOutput output) {}

    /** A result, or null inside: the turn was stopped. */
    private record Signal(@Nullable Result result) {}

    private final BlockingQueue<Signal> signals = new LinkedBlockingQueue<>();
    private final Semaphore permits = new Semaphore(ModelLimits.MAX_PARALLEL_TOOLS);
    private final List<Thread> threads = new ArrayList<>();

    private ToolRuns(List<Run> runs) {
        for (Run run : runs) {
            threads.add(Thread.ofVirtual()
                    .name("holdfast-tool-" + run.tool().name())
                    .unstarted(() -> run(run)));
        }
    }

    /**
     * Runs the calls, and gives out their results in batches.
     *
     * @throws InterruptedException if the turn was stopped
     */
    static void run(TurnContext turn, List<Run> runs, Consumer<List<Result>> out) throws InterruptedException {
        ToolRuns all = new ToolRuns(runs);
        turn.onStop(all::stop);
        try {
            all.threads.forEach(Thread::start);
            for (int left = runs.size(); left > 0; ) {
                List<Result> batch = all.next();
                left -= batch.size();
                out.accept(batch);
            }
        } finally {
            all.interrupt();
        }
    }

    private List<Result> next() throws InterruptedException {
        List<Signal> arrived = new ArrayList<>();
        arrived.add(signals.take());
        signals.drainTo(arrived);
        List<Result> results = new ArrayList<>();
        for (Signal signal : arrived) {
            Result result = signal.result();
            if (result == null) {
                throw Upstream.stopped();
            }
            results.add(result);
        }
        return results;
    }

    private void stop() {
        interrupt();
        signals.add(new Signal(null));
    }

    private void interrupt() {
        threads.forEach(Thread::interrupt);
    }

    private void run(Run run) {
        try {
            permits.acquire();
        } catch (InterruptedException e) {
            return; // nobody waits for it any more
        }
        Thread self = Thread.currentThread();
        CompletableFuture<ToolOutput> output = new CompletableFuture<>();
        var unused = output.orTimeout(run.tool().timeout().toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((result, error) -> {
                    permits.release();
                    if (error instanceof TimeoutException) {
                        self.interrupt();
                    }
                    signals.add(new Signal(new Result(run.call(), error == null ? result : failed(run, error))));
                });
        try {
            output.complete(bounded(run.executor().run(run.call())));
        } catch (Throwable e) { // whatever a tool throws is the call's result, or nobody would get one
            output.completeExceptionally(e);
        }
    }

    private static ToolOutput bounded(ToolOutput output) {
        if (output instanceof ToolOutput.Value value) {
            int length = ModelJson.bytes(value.json()).length;
            if (length > ModelLimits.MAX_TOOL_OUTPUT_BYTES) {
                return ToolOutput.failure("The tool's result has %d bytes, at most %d are kept. Ask it for less."
                        .formatted(length, ModelLimits.MAX_TOOL_OUTPUT_BYTES));
            }
            return output;
        }
        return ToolOutput.failure(shortened(((ToolOutput.Failure) output).message()));
    }

    private static ToolOutput failed(Run run, Throwable error) {
        if (error instanceof TimeoutException) {
            return ToolOutput.failure("The tool had no result after %d ms and was interrupted."
                    .formatted(run.tool().timeout().toMillis()));
        }
        if (!(error instanceof InterruptedException)) {
            LOG.warn("Tool {} failed: {}", run.tool().name(), error.toString());
        }
        String message = error.getMessage();
        return ToolOutput.failure("The tool failed: "
                + shortened(message == null ? error.getClass().getSimpleName() : message));
    }

    private static String shortened(String text) {
        if (text.length() <= MAX_ERROR_CHARS) {
            return text;
        }
        int end = Character.isHighSurrogate(text.charAt(MAX_ERROR_CHARS - 1)) ? MAX_ERROR_CHARS - 1 : MAX_ERROR_CHARS;
        return text.substring(0, end) + " ...";
    }
}
