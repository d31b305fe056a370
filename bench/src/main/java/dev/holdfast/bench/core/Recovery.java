package dev.holdfast.bench.core;

import dev.holdfast.bench.command.Scratch;
import dev.holdfast.bench.report.Bar;
import dev.holdfast.bench.report.Section;
import dev.holdfast.stream.StreamLimits;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How long {@code Holdfast.open} takes after a kill, when the journal is as long as its default limit lets it become and every byte of it
 * belongs to one of 10,000 live streams: the worst that recovery can meet, as nothing in it may be skipped. Each run is a JVM of its own,
 * so its code is cold; the first one also finds the write-ahead log as the kill left it. A short run makes a smaller store.
 */
final class Recovery {

    private static final int STREAMS = 10_000;
    private static final int QUICK_STREAMS = 1_000;
    private static final long QUICK_BYTES = 16L << 20;
    private static final long LONG_BYTES = 1L << 30;
    private static final double LIMIT_MILLIS = 2_000;
    private static final int RUNS = 3;

    private final Options options;
    private final PrintStream out;

    Recovery(Options options, PrintStream out) {
        this.options = options;
        this.out = out;
    }

    Section measure() throws IOException, InterruptedException {
        Map<String, Object> figures = new LinkedHashMap<>();
        List<Bar> bars = new ArrayList<>();
        out.println();
        if (options.run().quick()) {
            figures.put("small", run(QUICK_BYTES, QUICK_STREAMS).asMap());
        } else {
            Runs atLimit = run(StreamLimits.defaults().maxJournalBytes(), STREAMS);
            figures.put("atDefaultLimit", atLimit.asMap());
            bars.add(Bar.atMost(
                    "recovery at the default journal limit, 10,000 live streams, slowest run",
                    atLimit.slowest(),
                    LIMIT_MILLIS,
                    "ms"));
            figures.put("atOneGibibyte", run(LONG_BYTES, STREAMS).asMap());
        }
        return new Section("recovery", figures, bars);
    }

    private record Runs(long journalBytes, int streams, List<Double> millis, List<Double> cpuMillis) {
        double slowest() {
            return millis.stream().mapToDouble(Double::doubleValue).max().orElse(Double.NaN);
        }

        Map<String, Object> asMap() {
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("journalBytes", journalBytes);
            map.put("streams", streams);
            map.put("millis", millis);
            map.put("cpuMillis", cpuMillis);
            return map;
        }
    }

    private Runs run(long journalBytes, int streams) throws IOException, InterruptedException {
        try (Scratch scratch = Scratch.in(options.run().folder())) {
            Path folder = scratch.path().resolve("recovery");
            Child.Answer unused = Child.fill(folder, streams, journalBytes);
            List<Double> millis = new ArrayList<>();
            List<Double> cpuMillis = new ArrayList<>();
            for (int i = 0; i < RUNS; i++) {
                String[] fields = Child.recover(folder).line().split(" ", -1);
                if (fields[2].equals("0")) {
                    throw new IllegalStateException("nothing was recovered");
                }
                millis.add(Double.parseDouble(fields[0]));
                cpuMillis.add(Double.parseDouble(fields[1]));
            }
            Runs runs = new Runs(journalBytes, streams, millis, cpuMillis);
            out.printf(
                    "Recovery after a kill, %,d live streams, %d MiB of chunks in the journal: %s ms, processor time %s ms%n",
                    streams, journalBytes >> 20, millis, cpuMillis);
            return runs;
        }
    }
}
