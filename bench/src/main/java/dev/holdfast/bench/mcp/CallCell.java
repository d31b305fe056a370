package dev.holdfast.bench.mcp;

import dev.holdfast.bench.command.Scratch;
import dev.holdfast.bench.http.profile.Profile;
import dev.holdfast.bench.http.server.ServerProcess;
import dev.holdfast.bench.http.wire.RequestLoop;
import dev.holdfast.bench.http.wire.RequestSample;
import dev.holdfast.bench.report.Median;
import dev.holdfast.bench.report.Section;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Calls of one tool on {@value Options#CONNECTIONS} connections, one in flight on each. The servers alternate: one run of each, then the next
 * round; a figure is the median of the rounds, and a ratio that of two medians.
 */
final class CallCell {

    private static final Duration RAMP = Duration.ofMillis(500);

    private final Options.Cell cell;
    private final Options options;
    private final PrintStream out;
    private final Map<Contender, List<RequestSample>> runs = new EnumMap<>(Contender.class);

    /** A server, and the calls that it is sent. */
    private record Called(ServerProcess server, List<byte[]> calls) {

        RequestSample run(Duration window) throws IOException {
            return new RequestLoop(server.address(), calls, Options.CONNECTIONS, server.view()::cpuNanos)
                    .run(RAMP, window);
        }
    }

    CallCell(Options.Cell cell, Options options, PrintStream out) {
        this.cell = cell;
        this.options = options;
        this.out = out;
    }

    Section measure() throws IOException, InterruptedException {
        out.printf(
                "%n%s, %d connections: %d round(s) of %d ms%n",
                title(), Options.CONNECTIONS, options.rounds(), options.window().toMillis());
        Map<Contender, Called> servers = new EnumMap<>(Contender.class);
        try (Scratch scratch = Scratch.in(options.run().folder())) {
            for (Contender contender : options.against()) {
                ServerProcess server = contender.start(scratch.path());
                try {
                    servers.put(contender, new Called(server, calls(contender, server)));
                } catch (IOException e) {
                    server.close();
                    throw e;
                }
            }
            measure(servers);
        } finally {
            servers.values().forEach(called -> called.server().close());
        }
        return new Section(name(), figures(), List.of());
    }

    private void measure(Map<Contender, Called> servers) throws IOException, InterruptedException {
        for (Called called : servers.values()) {
            RequestSample unused = called.run(options.warmUp());
        }
        for (int round = 0; round < options.rounds(); round++) {
            for (Map.Entry<Contender, Called> each : servers.entrySet()) {
                runs.computeIfAbsent(each.getKey(), contender -> new ArrayList<>())
                        .add(each.getValue().run(options.window()));
            }
        }
        print();
        Called holdfast = servers.get(Contender.HOLDFAST);
        if (options.profile() != null && holdfast != null) {
            profile(holdfast, options.profile());
        }
    }

    private String title() {
        return switch (cell) {
            case CALL -> "A tool that answers at once, in sessions";
            case STEPS -> "A tool that reports %d steps before it answers, in sessions".formatted(Tools.REPORTS);
            case MODERN -> "A tool that answers at once, 2026-07-28, where nothing is kept";
        };
    }

    private List<byte[]> calls(Contender contender, ServerProcess server) throws IOException, InterruptedException {
        return switch (cell) {
            case CALL -> Calls.inSessions(server.uri(), Options.CONNECTIONS, Tools.ECHO);
            case STEPS -> Calls.inSessions(server.uri(), Options.CONNECTIONS, Tools.STEPS);
            case MODERN ->
                Calls.modern(contender == Contender.STOCK ? Calls.STOCK_MODERN_PATH : Calls.PATH, Tools.ECHO);
        };
    }

    private double median(Contender contender, ToDoubleFunction<RequestSample> figure) {
        return Median.of(runs.getOrDefault(contender, List.of()), figure);
    }

    /** How many times as much Holdfast needs as the stock servlet, where both ran. */
    private double ofStock(ToDoubleFunction<RequestSample> figure) {
        return median(Contender.HOLDFAST, figure) / median(Contender.STOCK, figure);
    }

    private void print() {
        out.printf(
                "%-20s %9s %9s %9s %9s %11s %11s%n",
                "", "calls/s", "p50 us", "p99 us", "refused", "server us", "driver us");
        for (Contender contender : runs.keySet()) {
            out.printf(
                    "%-20s %9.0f %9.0f %9.0f %9.0f %11.1f %11.1f%n",
                    contender.title(),
                    median(contender, RequestSample::perSecond),
                    median(contender, RequestSample::p50Micros),
                    median(contender, RequestSample::p99Micros),
                    median(contender, RequestSample::refused),
                    median(contender, RequestSample::serverCpuMicros),
                    median(contender, RequestSample::driverCpuMicros));
        }
        if (runs.size() == Contender.values().length) {
            out.printf(
                    "%-20s %8.2fx %8.2fx %8.2fx %9s %10.2fx%n",
                    "Holdfast of stock",
                    ofStock(RequestSample::perSecond),
                    ofStock(RequestSample::p50Micros),
                    ofStock(RequestSample::p99Micros),
                    "",
                    ofStock(RequestSample::serverCpuMicros));
        }
    }

    private Map<String, Object> figures() {
        Map<String, Object> map = new LinkedHashMap<>();
        runs.forEach((contender, samples) -> map.put(
                contender.name(), samples.stream().map(RequestSample::asMap).toList()));
        if (runs.size() == Contender.values().length) {
            map.put("callsPerSecondOfStock", ofStock(RequestSample::perSecond));
            map.put("serverCpuOfStock", ofStock(RequestSample::serverCpuMicros));
        }
        return map;
    }

    private void profile(Called holdfast, Path folder) throws IOException, InterruptedException {
        Profile profile = Profile.start(holdfast.server().view());
        RequestSample sample = holdfast.run(options.warmUp());
        profile.finish(folder.resolve("mcp-" + name() + ".txt"), title(), sample.requests() + sample.refused(), out);
    }

    private String name() {
        return cell.name().toLowerCase(Locale.ROOT);
    }
}
