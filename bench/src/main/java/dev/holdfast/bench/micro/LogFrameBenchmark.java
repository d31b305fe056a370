package dev.holdfast.bench.micro;

import dev.holdfast.store.AppendRecord;
import dev.holdfast.store.LogFrame;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What it costs to frame the appends of one group commit. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class LogFrameBenchmark {

    private static final int CHUNK_BYTES = 100;

    @Param({"1", "64", "512"})
    int appends;

    private final List<AppendRecord> records = new ArrayList<>();

    @Setup
    public void prepare() {
        List<byte[]> chunks = Chunks.of(appends, CHUNK_BYTES);
        for (int i = 0; i < appends; i++) {
            records.add(AppendRecord.of(1000L + i, 1, 200L + i, List.of(chunks.get(i))));
        }
    }

    @Benchmark
    public byte[] encode() {
        return LogFrame.encode(records, 1_700_000_000_000L);
    }
}
