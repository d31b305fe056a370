package dev.holdfast.bench.micro;

import dev.holdfast.store.Committer;
import dev.holdfast.store.Time;
import dev.holdfast.store.Timers;
import dev.holdfast.stream.AppendRequest;
import dev.holdfast.stream.AppendResult;
import dev.holdfast.stream.StreamEngine;
import dev.holdfast.stream.StreamLimits;
import dev.holdfast.stream.StreamWriter;
import dev.holdfast.stream.Streams;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What one append costs beside the disk: it is queued, decided, staged, applied and answered, in batches of 64, against a store that
 * forgets. One thread does all of it, so no wake-up is in the figure. Streams are sealed as they fill, as in a server.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class AppendBenchmark {

    private static final int BATCH = 64;
    private static final int CHUNK_BYTES = 100;

    /** All stay in memory: a store that forgets could not load one again. */
    private static final int MAX_STREAMS = 20_000;

    @Param({"1", "100", "10000"})
    int streams;

    private final DiscardingStore store = new DiscardingStore();
    private final Timers timers = Timers.system();
    private final Committer committer = new Committer(store, Time.system(), Committer.Limits.defaults(), Runnable::run);
    private final StreamEngine engine = new StreamEngine(
            store, committer, Time.system(), timers, StreamLimits.defaults().withMaxCachedStreams(MAX_STREAMS));
    private final List<StreamWriter> writers = new ArrayList<>();
    private final List<CompletableFuture<AppendResult>> futures = new ArrayList<>();
    private List<byte[]> chunks = List.of();
    private int next;

    @Setup
    public void open() throws InterruptedException {
        engine.recover();
        committer.maintain(engine.upkeep());
        chunks = Chunks.of(BATCH, CHUNK_BYTES);
        Streams all = new Streams(engine, "bench");
        Thread opener = Thread.ofVirtual().start(() -> {
            for (int i = 0; i < streams; i++) {
                writers.add(all.open("s" + i));
            }
        });
        while (opener.isAlive()) {
            if (!committer.step()) {
                Thread.onSpinWait();
            }
        }
        opener.join();
    }

    @Benchmark
    @OperationsPerInvocation(BATCH)
    public List<CompletableFuture<AppendResult>> append() {
        futures.clear();
        for (int i = 0; i < BATCH; i++) {
            StreamWriter writer = writers.get(next++ % streams);
            futures.add(writer.appendAsync(AppendRequest.of(List.of(chunks.get(i)))));
        }
        if (!committer.step()) {
            throw new IllegalStateException("nothing was queued");
        }
        next &= Integer.MAX_VALUE;
        return futures;
    }

    @TearDown(Level.Trial)
    public void close() {
        committer.close();
        timers.close();
    }
}
