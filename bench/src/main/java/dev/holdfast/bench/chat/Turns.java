package dev.holdfast.bench.chat;

import dev.holdfast.bench.report.Bar;
import dev.holdfast.bench.report.Median;
import dev.holdfast.bench.report.Section;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * Turns of 400 chunks of 61 bytes, each chunk after the one before is durable, with a reader that is there from the beginning and an end that stores
 * the message and discards the chunks. All contenders run at the same time, but only one is loaded at a time; they take turns, round by round, so
 * that what the machine does besides hits all of them.
 */
final class Turns {

    private static final int FEW = 16;
    private static final int MANY = 64;
    private static final double OF_REDIS_FEW = 1.0;
    private static final double OF_REDIS_MANY = 1.2;
    private static final double MAX_BYTES = 4;

    private final Options options;
    private final PrintStream out;
    private final Map<Integer, Map<Contender, List<TurnSample>>> samples = new LinkedHashMap<>();

    Turns(Options options, PrintStream out) {
        this.options = options;
        this.out = out;
    }

    Section measure() throws IOException, InterruptedException {
        out.printf(
                "%nTurns of %d chunks of %d bytes with a live reader each, %d round(s)%n",
                Deltas.CHUNKS, Deltas.CHUNK_BYTES, options.rounds());
        out.printf(
                "%5s %-20s %10s %9s %9s %9s %9s %6s %9s %8s%n",
                "turns", "", "chunks/s", "ack p50", "ack p99", "seen p50", "seen p99", "lost", "B/byte", "fsyncs");
        Map<Contender, Contender.Running> running = new EnumMap<>(Contender.class);
        try {
            start(running);
            for (int turns : options.turns()) {
                measure(turns, running);
            }
        } finally {
            for (Contender.Running each : running.values()) {
                each.close();
            }
        }
        return new Section("turns", figures(), bars());
    }

    private void start(Map<Contender, Contender.Running> running) throws IOException, InterruptedException {
        for (Contender contender : options.against()) {
            switch (contender) {
                case LIBRARY ->
                    running.put(contender, new LibraryTurns(options.run().folder()));
                case WIRE -> running.put(contender, new WireTurns(options.run().folder()));
                case REDIS -> {
                    Optional<Path> program = Redis.program();
                    if (program.isPresent()) {
                        running.put(
                                contender,
                                new RedisTurns(program.get(), options.run().folder()));
                    } else {
                        out.println(
                                "Redis is not measured: there is no redis-server on the PATH (Debian: apt install redis-server).");
                    }
                }
            }
        }
    }

    private void measure(int turns, Map<Contender, Contender.Running> running)
            throws IOException, InterruptedException {
        Map<Contender, List<TurnSample>> all = new EnumMap<>(Contender.class);
        samples.put(turns, all);
        int inARow = options.inARow(turns);
        for (Contender.Running each : running.values()) {
            TurnSample unused = each.run(turns, inARow);
        }
        for (int round = 0; round < options.rounds(); round++) {
            for (Map.Entry<Contender, Contender.Running> each : running.entrySet()) {
                all.computeIfAbsent(each.getKey(), contender -> new ArrayList<>())
                        .add(each.getValue().run(turns, inARow));
            }
        }
        all.forEach((contender, runs) -> print(turns, contender, runs));
    }

    private void print(int turns, Contender contender, List<TurnSample> runs) {
        out.printf(
                "%5d %-20s %10.0f %9.2f %9.2f %9.2f %9.2f %6.0f %9.1f %8.1f%n",
                turns,
                contender.title(),
                Median.of(runs, TurnSample::chunksPerSecond),
                Median.of(runs, TurnSample::ackP50Millis),
                Median.of(runs, TurnSample::ackP99Millis),
                Median.of(runs, TurnSample::seenP50Millis),
                Median.of(runs, TurnSample::seenP99Millis),
                lost(runs),
                Median.of(runs, TurnSample::amplification),
                Median.of(runs, TurnSample::fsyncsPerTurn));
    }

    private static double lost(List<TurnSample> runs) {
        return runs.stream().mapToLong(TurnSample::lost).sum();
    }

    private Map<String, Object> figures() {
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("chunksOfATurn", Deltas.CHUNKS);
        figures.put("chunkBytes", Deltas.CHUNK_BYTES);
        samples.forEach((turns, all) -> {
            Map<String, Object> cell = new LinkedHashMap<>();
            all.forEach((contender, runs) -> cell.put(
                    contender.key(), runs.stream().map(TurnSample::asMap).toList()));
            figures.put("turns" + turns, cell);
        });
        return figures;
    }

    private List<Bar> bars() {
        List<Bar> bars = new ArrayList<>();
        for (Contender contender : List.of(Contender.LIBRARY, Contender.WIRE)) {
            String name = "turns at once, chunks/s of Redis: " + contender.title();
            bars.add(Bar.atLeast(FEW + " " + name, ofRedis(FEW, contender), OF_REDIS_FEW, "x"));
            bars.add(Bar.atLeast(MANY + " " + name, ofRedis(MANY, contender), OF_REDIS_MANY, "x"));
        }
        bars.add(Bar.atMost(
                MANY + " turns at once: disk bytes per payload byte",
                figure(MANY, Contender.LIBRARY, TurnSample::amplification),
                MAX_BYTES,
                "bytes"));
        for (Contender contender : List.of(Contender.LIBRARY, Contender.WIRE)) {
            bars.add(Bar.atMost("chunks lost at the cutover: " + contender.title(), lost(contender), 0, "chunks"));
        }
        return bars;
    }

    private double ofRedis(int turns, Contender contender) {
        return figure(turns, contender, TurnSample::chunksPerSecond)
                / figure(turns, Contender.REDIS, TurnSample::chunksPerSecond);
    }

    private double figure(int turns, Contender contender, ToDoubleFunction<TurnSample> figure) {
        return Median.of(samples.getOrDefault(turns, Map.of()).getOrDefault(contender, List.of()), figure);
    }

    private double lost(Contender contender) {
        List<TurnSample> all = samples.values().stream()
                .flatMap(each -> each.getOrDefault(contender, List.of()).stream())
                .toList();
        return all.isEmpty() ? Double.NaN : lost(all);
    }
}
