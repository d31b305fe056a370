package dev.holdfast.bench.core;

import dev.holdfast.Holdfast;
import dev.holdfast.bench.command.Scratch;
import dev.holdfast.bench.report.Median;
import dev.holdfast.bench.report.Section;
import dev.holdfast.stream.ReadBatch;
import dev.holdfast.stream.StreamReader;
import dev.holdfast.stream.StreamWriter;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How long a reader that starts from nothing takes to the tail of a stream of 20,000 chunks, most of which lie in sealed blocks. Cold: the
 * store was just opened, so blocks come from the database file (though not from the device: the page cache has them). Warm: the blocks are
 * decoded already.
 */
final class CatchUp {

    private static final int CHUNKS = 20_000;
    private static final int CHUNK_BYTES = 100;
    private static final int CHUNKS_PER_APPEND = 100;
    private static final int READ_BYTES = 64 << 10;
    private static final String NAME = "long";
    private static final int COLD_RUNS = 5;
    private static final int WARM_RUNS = 50;

    private final Options options;
    private final PrintStream out;

    CatchUp(Options options, PrintStream out) {
        this.options = options;
        this.out = out;
    }

    Section measure() throws IOException, InterruptedException {
        List<Double> cold = new ArrayList<>();
        List<Double> warm = new ArrayList<>();
        try (Scratch scratch = Scratch.in(options.run().folder())) {
            Path folder = scratch.path().resolve("catchup");
            try (Holdfast holdfast = Holdfast.open(folder)) {
                fill(holdfast);
                warm(holdfast, new ArrayList<>()); // compiles the read path
            }
            for (int i = 0; i < COLD_RUNS; i++) {
                try (Holdfast holdfast = Holdfast.open(folder)) {
                    cold.add(millisToTail(holdfast));
                    warm(holdfast, warm);
                }
            }
        }
        double coldMillis = Median.of(cold, Double::doubleValue);
        double warmMillis = Median.of(warm, Double::doubleValue);
        out.printf(
                "%nCatch-up, %,d chunks of %d bytes, reads of %d KiB: %.1f ms cold, %.2f ms warm (%,.0f chunks/s)%n",
                CHUNKS, CHUNK_BYTES, READ_BYTES >> 10, coldMillis, warmMillis, CHUNKS * 1e3 / warmMillis);
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("chunks", CHUNKS);
        figures.put("chunkBytes", CHUNK_BYTES);
        figures.put("readBytes", READ_BYTES);
        figures.put("coldMillis", coldMillis);
        figures.put("warmMillis", warmMillis);
        return new Section("catchup", figures, List.of());
    }

    private static void fill(Holdfast holdfast) {
        StreamWriter writer = holdfast.streams().open(NAME);
        List<byte[]> chunks = Collections.nCopies(CHUNKS_PER_APPEND, new byte[CHUNK_BYTES]);
        for (int i = 0; i < CHUNKS / CHUNKS_PER_APPEND; i++) {
            writer.appendAll(chunks);
        }
    }

    private static void warm(Holdfast holdfast, List<Double> runs) throws InterruptedException {
        for (int i = 0; i < WARM_RUNS; i++) {
            runs.add(millisToTail(holdfast));
        }
    }

    private static double millisToTail(Holdfast holdfast) throws InterruptedException {
        long before = System.nanoTime();
        long read = 0;
        try (StreamReader reader = holdfast.streams().tail(NAME, 0)) {
            ReadBatch batch;
            do {
                batch = reader.next(READ_BYTES);
                read += batch.chunks().size();
            } while (!batch.upToDate());
        }
        if (read != CHUNKS) {
            throw new IllegalStateException("read " + read + " chunks instead of " + CHUNKS);
        }
        return (System.nanoTime() - before) / 1e6;
    }
}
