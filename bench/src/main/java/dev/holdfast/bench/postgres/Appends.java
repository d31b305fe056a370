package dev.holdfast.bench.postgres;

import dev.holdfast.bench.report.Bar;
import dev.holdfast.bench.report.Median;
import dev.holdfast.bench.report.Section;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Durable chunks per second: one node with few and many shards, beside a row per chunk and transaction. They alternate. */
final class Appends {

    static final int CHUNK_BYTES = 200;

    private static final List<Integer> SHARDS = List.of(1, 8, 64);
    private static final double MIN_TIMES_NAIVE = 10;

    private final Database database;
    private final Options options;
    private final PrintStream out;

    Appends(Database database, Options options, PrintStream out) {
        this.database = database;
        this.options = options;
        this.out = out;
    }

    Section measure() throws Exception {
        Duration window = Duration.ofSeconds(options.seconds());
        List<Double> naive = new ArrayList<>();
        Map<Integer, List<Double>> holdfast = new LinkedHashMap<>();
        int connections = 0;
        for (int round = 0; round < options.rounds(); round++) {
            try (NaiveProducers producers = new NaiveProducers(database)) {
                connections = producers.count();
                naive.add(Crowd.chunksPerSecond(producers, CHUNK_BYTES, window));
            }
            for (int shards : SHARDS) {
                try (HoldfastProducers producers = new HoldfastProducers(database, shards)) {
                    holdfast.computeIfAbsent(shards, none -> new ArrayList<>())
                            .add(Crowd.chunksPerSecond(producers, CHUNK_BYTES, window));
                }
            }
        }
        return section(naive, holdfast, connections);
    }

    private Section section(List<Double> naive, Map<Integer, List<Double>> holdfast, int connections) {
        double floor = Median.of(naive, Double::doubleValue);
        out.printf(
                "%nAppends of %d B, %d producers with %d under way each%n",
                CHUNK_BYTES, HoldfastProducers.PRODUCERS, HoldfastProducers.WINDOW);
        out.printf(
                "  %-44s %,10.0f chunks/s%n", "a row and a transaction each, " + connections + " connections", floor);
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("naive", Map.of("chunksPerSecond", floor, "rounds", naive, "connections", connections));
        List<Bar> bars = new ArrayList<>();
        holdfast.forEach((shards, rounds) -> {
            double rate = Median.of(rounds, Double::doubleValue);
            out.printf("  %-44s %,10.0f chunks/s  %5.1fx%n", "Holdfast, shards: " + shards, rate, rate / floor);
            figures.put("shards" + shards, Map.of("chunksPerSecond", rate, "rounds", rounds, "ofNaive", rate / floor));
            bars.add(Bar.atLeast("appends, " + shards + " shards, of a row each", rate / floor, MIN_TIMES_NAIVE, "x"));
        });
        return new Section("appends", figures, bars);
    }
}
