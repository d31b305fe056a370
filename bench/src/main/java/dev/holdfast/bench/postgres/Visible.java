package dev.holdfast.bench.postgres;

import dev.holdfast.bench.postgres.Pair.Hearing;
import dev.holdfast.bench.report.Bar;
import dev.holdfast.bench.report.Section;
import dev.holdfast.stream.Chunk;
import dev.holdfast.stream.ReadBatch;
import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamLimits;
import dev.holdfast.stream.StreamReader;
import dev.holdfast.stream.StreamWriter;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.HdrHistogram.Histogram;

/**
 * From the call of an append on the node that holds the shard until a reader on another node has the chunk. Few streams that grow now and then, so
 * that no queue is measured; the pauses are of random length, so that they do not fall into step with the polling.
 */
final class Visible {

    private static final int STREAMS = 8;
    private static final int CHUNK_BYTES = 200;
    private static final long MIN_PAUSE_MILLIS = 10;
    private static final long MAX_PAUSE_MILLIS = 40;
    private static final double MAX_P50_MILLIS = 10;

    private final Database database;
    private final Options options;
    private final PrintStream out;

    Visible(Database database, Options options, PrintStream out) {
        this.database = database;
        this.options = options;
        this.out = out;
    }

    Section measure() throws Exception {
        Map<Hearing, Histogram> all = new EnumMap<>(Hearing.class);
        for (int round = 0; round < options.rounds(); round++) {
            for (Hearing hearing : Hearing.values()) {
                Histogram seen = all.computeIfAbsent(hearing, none -> Latency.histogram());
                try (Pair pair = new Pair(database, hearing)) {
                    run(pair, seen);
                }
            }
        }
        out.printf("%nFrom an append to a reader on another node, %d streams%n", STREAMS);
        Map<String, Object> figures = new LinkedHashMap<>();
        List<Bar> bars = new ArrayList<>();
        all.forEach((hearing, seen) -> {
            Latency latency = Latency.of(seen);
            out.printf("  %-36s %s%n", hearing.title, latency.line());
            figures.put(hearing.name().toLowerCase(Locale.ROOT), latency.asMap());
            if (hearing == Hearing.HINTS) {
                bars.add(Bar.atMost(
                        "append to a reader on another node, p50, " + hearing.title,
                        latency.p50Millis(),
                        MAX_P50_MILLIS,
                        "ms"));
            }
        });
        return new Section("visible", figures, bars);
    }

    private void run(Pair pair, Histogram seen) throws InterruptedException {
        long from = System.nanoTime() + Pair.WARM_UP.toNanos();
        long end = from + Duration.ofSeconds(options.seconds()).toNanos();
        for (int i = 0; i < STREAMS; i++) {
            StreamWriter unused = pair.holder().holdfast().streams().open(name(i));
        }
        // The first half of the workers writes, the second half reads.
        Workers.run(2 * STREAMS, 1, (worker, number) -> {
            if (worker < STREAMS) {
                write(pair.holder().holdfast().streams().open(name(worker)), end);
            } else {
                read(pair, name(worker - STREAMS), from, seen);
            }
        });
        pair.check();
    }

    private static String name(int stream) {
        return "stream-" + stream;
    }

    private static void write(StreamWriter writer, long end) throws InterruptedException {
        while (System.nanoTime() - end < 0) {
            Thread.sleep(ThreadLocalRandom.current().nextLong(MIN_PAUSE_MILLIS, MAX_PAUSE_MILLIS));
            ByteBuffer chunk = ByteBuffer.allocate(CHUNK_BYTES).putLong(0, System.nanoTime());
            writer.append(chunk.array());
        }
        writer.settle(Settlement.completed());
    }

    private static void read(Pair pair, String name, long from, Histogram seen) throws InterruptedException {
        try (StreamReader reader = pair.other().holdfast().streams().tail(name, 0)) {
            ReadBatch batch;
            do {
                batch = reader.next(StreamLimits.MAX_READ_BYTES);
                long now = System.nanoTime();
                for (Chunk chunk : batch.chunks()) {
                    long appended = chunk.bytes().getLong(0);
                    if (appended - from >= 0) {
                        synchronized (seen) {
                            Latency.record(seen, now - appended);
                        }
                    }
                }
            } while (!batch.ended());
        }
    }
}
