package dev.holdfast.bench.core;

import dev.holdfast.bench.command.Scratch;
import dev.holdfast.bench.load.ClosedLoop;
import dev.holdfast.bench.load.Sample;
import dev.holdfast.bench.load.Target;
import dev.holdfast.bench.report.Bar;
import dev.holdfast.bench.report.Section;
import java.io.IOException;
import java.io.PrintStream;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The append part: Holdfast beside its floors, in every cell of producers and streams.
 *
 * <p>The contenders alternate: one run of each, then the next round, each on a fresh store in a fresh folder. What changes slowly on the
 * machine (its clock, its disk's write cache, its neighbours) then meets all of them alike, and the median over the rounds drops the run
 * that something disturbed. Before the first cell, and before each cell that has more than one round, every contender runs once unmeasured, so that all code is
 * compiled.
 */
final class Appends {

    static final int PAYLOAD_BYTES = 100;

    private static final Duration RAMP = Duration.ofMillis(300);
    private static final int WARM_UP_PRODUCERS = 64;
    private static final int WARM_UP_STREAMS = 100;

    private final Options options;
    private final PrintStream out;

    Appends(Options options, PrintStream out) {
        this.options = options;
        this.out = out;
    }

    Section measure() throws IOException, InterruptedException, SQLException {
        out.printf(
                "%nAppends of %d bytes, closed loop: %d round(s) of %d ms each%n",
                PAYLOAD_BYTES, options.rounds(), options.window().toMillis());
        runEach(WARM_UP_PRODUCERS, WARM_UP_STREAMS);
        out.printf(
                "%9s %7s  %-22s %11s %7s %9s %9s %9s %8s %7s%n",
                "producers", "streams", "", "appends/s", "x floor", "p50 us", "p99 us", "x floor", "bytes/B", "cpu us");
        List<Cell> cells = new ArrayList<>();
        for (int streams : options.streams()) {
            for (int producers : options.producers()) {
                Cell cell = new Cell(producers, streams);
                if (options.rounds() > 1) {
                    runEach(producers, streams); // what is compiled depends on the cell
                }
                for (int round = 0; round < options.rounds(); round++) {
                    for (Contender contender : Contender.values()) {
                        cell.add(contender, run(contender, producers, streams));
                    }
                }
                print(cell);
                cells.add(cell);
            }
        }
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("payloadBytes", PAYLOAD_BYTES);
        figures.put("cells", cells.stream().map(Cell::asMap).toList());
        List<Bar> bars = cells.stream().flatMap(cell -> cell.bars().stream()).toList();
        return new Section("append", figures, bars);
    }

    /** Once, unmeasured. */
    private void runEach(int producers, int streams) throws IOException, InterruptedException, SQLException {
        for (Contender contender : Contender.values()) {
            Sample unused = run(contender, producers, streams);
        }
    }

    private Sample run(Contender contender, int producers, int streams)
            throws IOException, InterruptedException, SQLException {
        try (Scratch scratch = Scratch.in(options.run().folder());
                Target target =
                        contender.prepare(scratch.path(), streams, PAYLOAD_BYTES, RAMP.plus(options.window()))) {
            return new ClosedLoop(target, producers, streams, PAYLOAD_BYTES).run(RAMP, options.window());
        }
    }

    private void print(Cell cell) {
        for (Contender contender : Contender.values()) {
            out.printf(
                    "%9d %7d  %-22s %11.0f %7.2f %9.0f %9.0f %9.2f %8.2f %7.2f%n",
                    cell.producers(),
                    cell.streams(),
                    contender.title(),
                    cell.median(contender, Sample::perSecond),
                    cell.ratio(contender, Contender.FLOOR_ROW_PER_COMMIT, Sample::perSecond),
                    cell.median(contender, Sample::p50Micros),
                    cell.median(contender, Sample::p99Micros),
                    cell.ratio(contender, Contender.FLOOR_ROW_PER_COMMIT, Sample::p99Micros),
                    cell.median(contender, Sample::amplification),
                    cell.median(contender, Sample::cpuMicros));
        }
    }
}
