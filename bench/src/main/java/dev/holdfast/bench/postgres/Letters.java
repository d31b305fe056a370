package dev.holdfast.bench.postgres;

import dev.holdfast.bench.postgres.Pair.Hearing;
import dev.holdfast.bench.report.Section;
import dev.holdfast.stream.AppendRequest;
import dev.holdfast.stream.StreamWriter;
import dev.holdfast.stream.Streams;
import java.io.PrintStream;
import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** An append by name through the node that does not hold the shard: a letter to the holder, its commit, and the answer. One after the other. */
final class Letters {

    private static final String STREAM = "stream";

    private final Database database;
    private final Options options;
    private final PrintStream out;

    Letters(Database database, Options options, PrintStream out) {
        this.database = database;
        this.options = options;
        this.out = out;
    }

    Section measure() throws Exception {
        Map<Hearing, Histogram> all = new EnumMap<>(Hearing.class);
        for (int round = 0; round < options.rounds(); round++) {
            for (Hearing hearing : Hearing.values()) {
                Histogram answered = all.computeIfAbsent(hearing, none -> Latency.histogram());
                try (Pair pair = new Pair(database, hearing)) {
                    run(pair, answered);
                }
            }
        }
        out.printf("%nAn append through the node that does not hold the shard%n");
        Map<String, Object> figures = new LinkedHashMap<>();
        all.forEach((hearing, answered) -> {
            Latency latency = Latency.of(answered);
            out.printf("  %-36s %s%n", hearing.title, latency.line());
            figures.put(hearing.name().toLowerCase(Locale.ROOT), latency.asMap());
        });
        return new Section("letters", figures, List.of());
    }

    private void run(Pair pair, Histogram answered) {
        StreamWriter unused = pair.holder().holdfast().streams().open(STREAM);
        Streams streams = pair.other().holdfast().streams();
        AppendRequest request = AppendRequest.of(List.of(Crowd.random(Appends.CHUNK_BYTES, 0)));
        long from = System.nanoTime() + Pair.WARM_UP.toNanos();
        long end = from + Duration.ofSeconds(options.seconds()).toNanos();
        for (long now = System.nanoTime(); now - end < 0; now = System.nanoTime()) {
            streams.append(STREAM, request);
            if (now - from >= 0) {
                Latency.record(answered, System.nanoTime() - now);
            }
        }
        pair.check();
    }
}
