package dev.holdfast.models;

import dev.holdfast.turn.TurnContext;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the tool calls of one answer at once, each on a virtual thread of its own, at most {@link ModelLimits#MAX_PARALLEL_TOOLS} at a time. A stop of
 * the turn interrupts them all; a call whose time is over is interrupted alone. What a tool says after that goes nowhere.
 *
 * <p>Results are handed to the turn's thread in the order in which they come. Their queue holds at most one per call, and one for a preliminary
 * output that no newer one has replaced.
 */
final class ToolRuns {

    private static final Logger LOG = LoggerFactory.getLogger(ToolRuns.class);
    private static final int MAX_ERROR_CHARS = 8 << 10;

    record Run(ToolCall call, Tool tool, Tool.GrowingExecutor executor) {}

    /** @param isLast false for a preliminary output */
    record Result(ToolCall call, ToolOutput output, boolean isLast) {}

    private sealed interface Signal {

        record Last(Result result) implements Signal {}

        /** There is a preliminary output to be taken. */
        record Growth(ToolCall call, AtomicReference<ToolOutput.@Nullable Value> newest) implements Signal {}

        /** The turn was stopped. */
        record Stop() implements Signal {}
    }

    private final BlockingQueue<Signal> signals = new LinkedBlockingQueue<>();
    private final Semaphore permits = new Semaphore(ModelLimits.MAX_PARALLEL_TOOLS);
    private final List<Thread> threads = new ArrayList<>();

    /** Calls whose last result was handed on: what comes of them later was overtaken. Of the turn's thread. */
    private final Set<ToolCall> ended = new HashSet<>();

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
                left -= (int) batch.stream().filter(Result::isLast).count();
                if (!batch.isEmpty()) {
                    out.accept(batch);
                }
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
            switch (signal) {
                case Signal.Stop stop -> throw Upstream.stopped();
                case Signal.Last last -> {
                    ended.add(last.result().call());
                    results.add(last.result());
                }
                case Signal.Growth growth -> {
                    ToolOutput.Value newest = growth.newest().getAndSet(null);
                    if (newest != null && !ended.contains(growth.call())) {
                        results.add(new Result(growth.call(), newest, false));
                    }
                }
            }
        }
        return results;
    }

    /** The stop is told first: what an interrupted tool says then comes behind it and is nobody's result. */
    private void stop() {
        signals.add(new Signal.Stop());
        interrupt();
    }

    private void interrupt() {
        threads.forEach(Thread::interrupt);
    }

    @SuppressWarnings("ReferenceEquality") // a tool may say the same on its own
    private void run(Run run) {
        try {
            permits.acquire();
        } catch (InterruptedException e) {
            return; // nobody waits for it any more
        }
        Thread self = Thread.currentThread();
        CompletableFuture<ToolOutput> output = new CompletableFuture<>();
        AtomicReference<ToolOutput.@Nullable Value> newest = new AtomicReference<>();
        ToolOutput late = late(run.tool());
        var unused = output.completeOnTimeout(late, run.tool().timeout().toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((result, error) -> {
                    permits.release();
                    if (result == late) {
                        run.call().timeOut();
                        self.interrupt();
                    }
                    ToolOutput last = error == null ? result : failed(run, error);
                    signals.add(new Signal.Last(new Result(run.call(), last, true)));
                });
        try {
            output.complete(bounded(run.executor().run(run.call(), value -> grow(run.call(), newest, value, output))));
        } catch (Throwable e) { // whatever a tool throws is the call's result, or nobody would get one
            output.completeExceptionally(e);
        }
    }

    /** Hands a preliminary output on, unless the call is over or it is too large to be kept. */
    private void grow(
            ToolCall call,
            AtomicReference<ToolOutput.@Nullable Value> newest,
            ToolOutput.Value value,
            CompletableFuture<ToolOutput> output) {
        if (!output.isDone() && bounded(value) instanceof ToolOutput.Value kept && newest.getAndSet(kept) == null) {
            signals.add(new Signal.Growth(call, newest));
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

    private static ToolOutput late(Tool tool) {
        return ToolOutput.failure("The tool had no result after %d ms and was interrupted."
                .formatted(tool.timeout().toMillis()));
    }

    private static ToolOutput failed(Run run, Throwable error) {
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
