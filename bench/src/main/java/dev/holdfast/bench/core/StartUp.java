package dev.holdfast.bench.core;

import dev.holdfast.bench.command.Scratch;
import dev.holdfast.bench.report.Bar;
import dev.holdfast.bench.report.Median;
import dev.holdfast.bench.report.Section;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * From the start of a process to its first durable append on an empty store: the JVM's start, the driver's native library, the schema, one
 * stream. Once as it is, and once with an ahead-of-time cache, which JDK 25 and newer write in a training run.
 */
final class StartUp {

    private static final double LIMIT_MILLIS = 1_000;
    private static final int AOT_SINCE = 25;

    private final Options options;
    private final PrintStream out;

    StartUp(Options options, PrintStream out) {
        this.options = options;
        this.out = out;
    }

    Section measure() throws IOException, InterruptedException {
        try (Scratch scratch = Scratch.in(options.run().folder())) {
            double plain = median(scratch, "plain", List.of());
            double cached = Double.NaN;
            if (Runtime.version().feature() >= AOT_SINCE) {
                Path cache = scratch.path().resolve("start.aot");
                Child.Answer unused =
                        Child.start(scratch.path().resolve("training"), List.of("-XX:AOTCacheOutput=" + cache));
                if (Files.exists(cache)) {
                    cached = median(scratch, "cached", List.of("-XX:AOTCache=" + cache));
                }
            }
            out.printf(
                    "%nStart-up, process start to first durable append on an empty store: %.0f ms; with an AOT cache %.0f ms%n",
                    plain, cached);
            Map<String, Object> figures = new LinkedHashMap<>();
            figures.put("millis", plain);
            figures.put("millisWithAotCache", cached);
            return new Section(
                    "startup",
                    figures,
                    List.of(
                            Bar.atMost("start-up on an empty store", plain, LIMIT_MILLIS, "ms"),
                            Bar.atMost("start-up on an empty store, AOT cache", cached, LIMIT_MILLIS, "ms")));
        }
    }

    private double median(Scratch scratch, String name, List<String> jvmOptions)
            throws IOException, InterruptedException {
        List<Child.Answer> runs = new ArrayList<>();
        for (int i = 0; i < Math.max(3, options.rounds()); i++) {
            runs.add(Child.start(scratch.path().resolve(name + i), jvmOptions));
        }
        return Median.of(runs, Child.Answer::millis);
    }
}
