package dev.holdfast.bench.micro;

import dev.holdfast.store.BlockFormat;
import dev.holdfast.store.BlockRow;
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

/** What it costs to pack a full block when it is sealed, and to verify and index it when it is read. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class BlockFormatBenchmark {

    private static final int BLOCK_BYTES = 256 << 10;

    @Param({"100", "1024"})
    int chunkBytes;

    private List<byte[]> chunks = List.of();
    private BlockRow row = new BlockRow(0, 0, 0, 0, 0, new byte[0]);

    @Setup
    public void prepare() {
        chunks = Chunks.of(BLOCK_BYTES / chunkBytes, chunkBytes);
        row = new BlockRow(1, 0, chunks.size(), 0, 0, BlockFormat.encode(chunks));
    }

    @Benchmark
    public byte[] encode() {
        return BlockFormat.encode(chunks);
    }

    @Benchmark
    public int[] index() {
        return BlockFormat.index(row);
    }
}
