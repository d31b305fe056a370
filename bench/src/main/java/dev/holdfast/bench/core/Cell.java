package dev.holdfast.bench.core;

import dev.holdfast.bench.load.Sample;
import dev.holdfast.bench.report.Bar;
import dev.holdfast.bench.report.Median;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** One cell of the append part: a number of producers on a number of streams, with the runs of every contender. */
final class Cell {

    /** What is expected at a number of producers, as parts of what the floors do. */
    private record Expectation(double ofFloor, double ofFloorWhenSealing, double ofRowPerAppend) {}

    private static final Map<Integer, Expectation> EXPECTED =
            Map.of(64, new Expectation(0.80, 0.60, 2), 512, new Expectation(0.70, 0.45, 5));

    private static final double P99_OF_FLOOR = 2;
    private static final double BYTES_OF_FLOOR = 1.3;
    private static final double BYTES_OF_FLOOR_WHEN_SEALING = 2.4;

    private final int producers;
    private final int streams;
    private final Map<Contender, List<Sample>> runs = new EnumMap<>(Contender.class);

    Cell(int producers, int streams) {
        this.producers = producers;
        this.streams = streams;
    }

    int producers() {
        return producers;
    }

    int streams() {
        return streams;
    }

    void add(Contender contender, Sample run) {
        runs.computeIfAbsent(contender, c -> new ArrayList<>()).add(run);
    }

    double median(Contender contender, ToDoubleFunction<Sample> figure) {
        return Median.of(runs.getOrDefault(contender, List.of()), figure);
    }

    /** The median of one contender as a part of the median of another. */
    double ratio(Contender of, Contender to, ToDoubleFunction<Sample> figure) {
        return median(of, figure) / median(to, figure);
    }

    /** The bars of this cell; none where nothing is expected of this number of producers. */
    List<Bar> bars() {
        Expectation expected = EXPECTED.get(producers);
        if (expected == null) {
            return List.of();
        }
        Contender floor = Contender.FLOOR_ROW_PER_COMMIT;
        return List.of(
                Bar.atLeast(
                        name("no seals: throughput of the floor's"),
                        ratio(Contender.HOLDFAST, floor, Sample::perSecond),
                        expected.ofFloor(),
                        "x"),
                Bar.atMost(
                        name("no seals: p99 of the floor's"),
                        ratio(Contender.HOLDFAST, floor, Sample::p99Micros),
                        P99_OF_FLOOR,
                        "x"),
                Bar.atMost(
                        name("no seals: bytes of the floor's"),
                        ratio(Contender.HOLDFAST, floor, Sample::amplification),
                        BYTES_OF_FLOOR,
                        "x"),
                Bar.atLeast(
                        name("all sealed: throughput of the floor's"),
                        ratio(Contender.HOLDFAST_SEALING, floor, Sample::perSecond),
                        expected.ofFloorWhenSealing(),
                        "x"),
                Bar.atMost(
                        name("all sealed: bytes of the floor's"),
                        ratio(Contender.HOLDFAST_SEALING, floor, Sample::amplification),
                        BYTES_OF_FLOOR_WHEN_SEALING,
                        "x"),
                Bar.atLeast(
                        name("no seals: throughput of one row per append"),
                        ratio(Contender.HOLDFAST, Contender.FLOOR_ROW_PER_APPEND, Sample::perSecond),
                        expected.ofRowPerAppend(),
                        "x"));
    }

    private String name(String what) {
        return "%d producers, %d streams, %s".formatted(producers, streams, what);
    }

    Map<String, Object> asMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("producers", producers);
        map.put("streams", streams);
        runs.forEach((contender, samples) ->
                map.put(contender.name(), samples.stream().map(Sample::asMap).toList()));
        return map;
    }
}
