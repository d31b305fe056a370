package dev.holdfast.bench.postgres;

import dev.holdfast.HoldfastSettings;
import dev.holdfast.bench.report.Median;
import dev.holdfast.bench.report.Section;
import dev.holdfast.node.NodeSettings;
import dev.holdfast.store.postgres.PostgresSettings;
import dev.holdfast.stream.StreamWriter;
import java.io.PrintStream;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;

/**
 * Durable chunks per second of one node whose shards lie in one database, and in two. The two are servers of their own, but on one machine they share
 * its processors and its disk, so the figure says what a second database costs, and a gain only where commits waited for the first one.
 */
final class TwoDatabases {

    private static final int SHARDS = 8;

    /** How many appends each producer has under way: in the first cell commits wait for a disk, in the second for processors. */
    private static final List<Integer> WINDOWS = List.of(1, HoldfastProducers.WINDOW);

    private final Database first;
    private final Options options;
    private final PrintStream out;

    TwoDatabases(Database first, Options options, PrintStream out) {
        this.first = first;
        this.options = options;
        this.out = out;
    }

    Section measure() throws Exception {
        Map<String, Object> figures = new LinkedHashMap<>();
        out.printf(
                "%nOne database and two, %d shards, appends of %d B, %d producers%n",
                SHARDS, Appends.CHUNK_BYTES, HoldfastProducers.PRODUCERS);
        try (Database second = Database.another(options)) {
            for (int window : WINDOWS) {
                figures.put("underWay" + window, measure(second, window));
            }
        }
        return new Section("databases", figures, List.of());
    }

    private Map<String, Object> measure(Database second, int window) throws Exception {
        List<Double> one = new ArrayList<>();
        List<Double> two = new ArrayList<>();
        for (int round = 0; round < options.rounds(); round++) {
            one.add(chunksPerSecond(List.of(first), window));
            two.add(chunksPerSecond(List.of(first, second), window));
        }
        double alone = Median.of(one, Double::doubleValue);
        double both = Median.of(two, Double::doubleValue);
        out.printf(
                "  %2d under way: one %,10.0f chunks/s, two %,10.0f chunks/s  %5.2fx%n",
                window, alone, both, both / alone);
        return Map.of("one", one, "two", two, "ofOne", both / alone);
    }

    private double chunksPerSecond(List<Database> databases, int window) throws Exception {
        try (Load load = new Load(databases, window)) {
            return Crowd.chunksPerSecond(load, Appends.CHUNK_BYTES, Duration.ofSeconds(options.seconds()));
        }
    }

    /** A node on some databases, with a stream for each producer. */
    private static final class Load implements Producers {

        private final List<Database> databases;
        private final List<PostgresSettings> parts = new ArrayList<>();
        private final int window;
        private final Member node;

        Load(List<Database> databases, int window) throws InterruptedException {
            this.databases = databases;
            this.window = window;
            for (Database database : databases) {
                parts.add(database.settings(SHARDS).withPart(parts.size(), databases.size()));
            }
            this.node = Member.join(parts, HoldfastSettings.defaults(), NodeSettings.named("only"))
                    .holding(SHARDS);
        }

        @Override
        public int count() {
            return HoldfastProducers.PRODUCERS;
        }

        @Override
        public void produce(int producer, byte[] chunk, BooleanSupplier goOn, LongAdder durable)
                throws InterruptedException {
            StreamWriter writer = node.holdfast().streams().open("stream-" + producer);
            HoldfastProducers.append(writer, chunk, goOn, durable, window);
        }

        @Override
        public void close() throws SQLException {
            node.close();
            for (int i = 0; i < parts.size(); i++) {
                databases.get(i).drop(parts.get(i));
            }
        }
    }
}
