package dev.holdfast.bench.micro;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
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

/** What a CRC-32C costs per checksummed unit: the floor under every format that checksums its frames. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class ChecksumBenchmark {

    private static final long SEED = 1;

    @Param({"64", "1024", "262144"})
    int bytes;

    private final CRC32C checksum = new CRC32C();
    private byte[] data = {};

    @Setup
    public void fill() {
        data = new byte[bytes];
        new Random(SEED).nextBytes(data);
    }

    @Benchmark
    public long crc32c() {
        checksum.reset();
        checksum.update(data);
        return checksum.getValue();
    }
}
