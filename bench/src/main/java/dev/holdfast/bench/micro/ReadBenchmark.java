package dev.holdfast.bench.micro;

import dev.holdfast.Holdfast;
import dev.holdfast.stream.ReadBatch;
import dev.holdfast.stream.StreamReader;
import dev.holdfast.stream.StreamWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** One read of 64 KiB in chunks of 100 bytes: from the open block in memory, and from a sealed block that is decoded already. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class ReadBenchmark {

    private static final int READ_BYTES = 64 << 10;
    private static final int CHUNK_BYTES = 100;
    private static final int OPEN_CHUNKS = 2_000;
    private static final int SEALED_CHUNKS = 6_000;

    private Path folder = Path.of("");
    private Holdfast holdfast;

    @SuppressWarnings("NullAway.Init") // JMH makes it, and then calls open
    public ReadBenchmark() {}

    @Setup
    public void open() throws IOException {
        folder = Files.createTempDirectory("holdfast-jmh-");
        holdfast = Holdfast.open(folder);
        fill("open", OPEN_CHUNKS);
        fill("sealed", SEALED_CHUNKS);
    }

    private void fill(String name, int count) {
        List<byte[]> chunks = Chunks.of(CHUNK_BYTES, CHUNK_BYTES);
        StreamWriter writer = holdfast.streams().open(name);
        for (int i = 0; i < count / chunks.size(); i++) {
            writer.appendAll(chunks);
        }
    }

    @Benchmark
    public ReadBatch fromOpenBlock() {
        return read("open");
    }

    @Benchmark
    public ReadBatch fromSealedBlock() {
        return read("sealed");
    }

    private ReadBatch read(String name) {
        try (StreamReader reader = holdfast.streams().tail(name, 0)) {
            return reader.read(READ_BYTES);
        }
    }

    @TearDown(Level.Trial)
    public void close() throws IOException {
        holdfast.close();
        List<Path> found;
        try (Stream<Path> all = Files.walk(folder)) {
            found = all.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path each : found) {
            Files.delete(each);
        }
    }
}
