package dev.holdfast.bench.micro;

import dev.holdfast.uimessage.ChunkCompactor;
import dev.holdfast.uimessage.UiChunk;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
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

/** What one delta of a UI message stream costs whoever reads it, and 20,000 of them a page that is loaded during a long turn. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class DeltaBenchmark {

    private static final int DELTAS = 20_000;

    /** Two deltas that are read by their bytes, and one that needs the whole of JSON. */
    @Param({" of the night", " of\\nthe night", " of\\u000athe night"})
    String text = "";

    private byte[] delta = {};
    private List<byte[]> turn = List.of();

    @Setup
    public void write() {
        delta = "{\"type\":\"text-delta\",\"id\":\"t1\",\"delta\":\"%s\"}"
                .formatted(text)
                .getBytes(StandardCharsets.UTF_8);
        turn = Collections.nCopies(DELTAS, delta);
    }

    @Benchmark
    public UiChunk parse() {
        return UiChunk.parse(delta);
    }

    @Benchmark
    public List<byte[]> compactALongTurn() {
        return ChunkCompactor.compact(turn);
    }
}
