package dev.holdfast.bench.sessions;

import dev.holdfast.bench.command.Scratch;
import dev.holdfast.bench.http.profile.Profile;
import dev.holdfast.bench.http.server.ServerProcess;
import dev.holdfast.bench.report.ProcessCounters;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One server, over one transport: its watchers come and are idle, then follow what is appended, then are cut and come back. This process is the driver, and its
 * processor time is printed, since it has the same processors.
 */
final class Trial {

    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final int BEFORE = 200;
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration STORM_PATIENCE = Duration.ofSeconds(60);
    private static final int STORM_CHUNKS = 12;
    private static final Duration BEFORE_STORM = Duration.ofSeconds(2);

    private final Options options;
    private final Contender contender;
    private final Transport transport;
    private final PrintStream out;

    Trial(Options options, Contender contender, Transport transport, PrintStream out) {
        this.options = options;
        this.contender = contender;
        this.transport = transport;
        this.out = out;
    }

    /** What was found; null or empty for what was not asked for. */
    record Result(@Nullable Idle idle, @Nullable FanOut fanOut, List<Storm> storms) {}

    /** What one connection occupies, with its watch and the stream that it follows. */
    record Idle(double heapBytes, double residentBytes) {

        Map<String, Object> asMap() {
            return Map.of("heapBytes", heapBytes, "residentBytes", residentBytes);
        }
    }

    /**
     * What was delivered of one round.
     *
     * @param lost chunks that a watcher did not get
     * @param repeated chunks that it got again, or frames that did not continue what it had
     */
    record FanOut(
            double perSecond,
            double p50Millis,
            double p99Millis,
            double maxMillis,
            long lost,
            long repeated,
            int faults,
            double serverCpuMicros,
            double serverCores,
            double driverCores,
            double load) {

        Map<String, Object> asMap() {
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("deliveriesPerSecond", perSecond);
            map.put("p50Millis", p50Millis);
            map.put("p99Millis", p99Millis);
            map.put("maxMillis", maxMillis);
            map.put("lost", lost);
            map.put("repeated", repeated);
            map.put("faults", faults);
            map.put("serverCpuMicrosPerDelivery", serverCpuMicros);
            map.put("serverCores", serverCores);
            map.put("driverCores", driverCores);
            map.put("loadAverage", load);
            return map;
        }
    }

    /**
     * How all came back.
     *
     * @param seconds until the last one had caught up; NaN if it did not
     * @param faults refusals and cuts that were met on the way, by their kinds
     */
    record Storm(
            double halfSeconds,
            double seconds,
            long lost,
            long repeated,
            Map<String, Integer> faults,
            double serverCpuSeconds,
            double driverCpuSeconds,
            double load) {

        int faultCount() {
            return faults.values().stream().mapToInt(Integer::intValue).sum();
        }

        Map<String, Object> asMap() {
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("halfBackSeconds", halfSeconds);
            map.put("allBackSeconds", seconds);
            map.put("lost", lost);
            map.put("repeated", repeated);
            map.put("faults", faults);
            map.put("serverCpuSeconds", serverCpuSeconds);
            map.put("driverCpuSeconds", driverCpuSeconds);
            map.put("loadAverage", load);
            return map;
        }
    }

    Result measure() throws IOException, InterruptedException {
        try (Scratch scratch = Scratch.in(options.run().folder());
                ServerProcess server = contender.start(scratch.path(), options.sessions())) {
            crowd(server, Math.min(BEFORE, options.connections())).close();
            letGo(server);
            double heap = wants(Options.Cell.IDLE) ? server.view().heapBytesAfterCollections() : Double.NaN;
            double resident = server.view().residentBytes();
            try (Crowd crowd = crowd(server, options.connections())) {
                Idle idle = wants(Options.Cell.IDLE) ? idle(server, heap, resident) : null;
                FanOut fanOut = wants(Options.Cell.FANOUT) ? fanOut(server, crowd) : null;
                List<Storm> storms = new ArrayList<>();
                for (int i = 0; i < options.storms() && wants(Options.Cell.STORM); i++) {
                    storms.add(storm(server, crowd));
                }
                return new Result(idle, fanOut, storms);
            }
        }
    }

    /** One chunk in each session: a server that writes to clients that have left notices it, and holds nothing of them any more. */
    private static void letGo(ServerProcess server) throws IOException, InterruptedException {
        Round round = Metronome.ask(server, 1, INTERVAL);
        Metronome.sleepUntil(round.dueAt(round.sessions(), 0) + INTERVAL.toNanos());
    }

    private boolean wants(Options.Cell cell) {
        return options.cells().contains(cell);
    }

    private Crowd crowd(ServerProcess server, int connections) throws IOException {
        Crowd crowd = new Crowd(
                server.address(), transport, connections, options.sessions(), contender == Contender.HOLDFAST);
        try {
            crowd.open();
            return crowd;
        } catch (IOException | RuntimeException e) {
            crowd.close();
            throw new IOException("the server said:\n" + server.output(), e);
        }
    }

    private Idle idle(ServerProcess server, double heapBefore, double residentBefore)
            throws IOException, InterruptedException {
        double resident = (server.view().residentBytes() - residentBefore) / options.connections();
        double heap = (server.view().heapBytesAfterCollections() - heapBefore) / options.connections();
        out.printf("  idle: heap %.0f B, resident %.0f B each%n", heap, resident);
        return new Idle(heap, resident);
    }

    private FanOut fanOut(ServerProcess server, Crowd crowd) throws IOException, InterruptedException {
        Round unmeasured = begin(server, crowd, Math.max(3, options.seconds() / 2));
        boolean warm = crowd.pumpToTheEnd(unmeasured, PATIENCE.plusSeconds(options.seconds()));
        if (!warm) {
            throw new IOException("%d chunks did not come".formatted(crowd.missing(unmeasured)));
        }
        crowd.tally().reset();
        long cpu = server.view().cpuNanos();
        ProcessCounters before = ProcessCounters.now();
        long start = System.nanoTime();
        Round round = begin(server, crowd, options.seconds());
        boolean all = crowd.pumpToTheEnd(round, PATIENCE.plusSeconds(options.seconds()));
        double seconds = (System.nanoTime() - start) / 1e9;
        double serverCpu = server.view().cpuNanos() - cpu;
        Tally tally = crowd.tally();
        FanOut found = new FanOut(
                tally.deliveries() / seconds,
                tally.millis(50),
                tally.millis(99),
                tally.millis(100),
                tally.lost() + (all ? 0 : crowd.missing(round)),
                tally.repeatedOrMisfit(),
                tally.faults(),
                serverCpu / 1e3 / Math.max(1, tally.deliveries()),
                serverCpu / 1e9 / seconds,
                ProcessCounters.now().since(before).cpuNanos() / 1e9 / seconds,
                load());
        out.printf(
                "  fan-out: %,.0f/s; p50 %.2f ms, p99 %.2f, max %.1f; lost %d, repeated %d, faults %d; server %.1f us each, %.2f processors; driver %.2f; load %.1f%n",
                found.perSecond(),
                found.p50Millis(),
                found.p99Millis(),
                found.maxMillis(),
                found.lost(),
                found.repeated(),
                found.faults(),
                found.serverCpuMicros(),
                found.serverCores(),
                found.driverCores(),
                found.load());
        Path profile = options.profile();
        if (profile != null && contender == Contender.HOLDFAST) {
            profile(
                    server,
                    crowd,
                    profile.resolve("sessions-%s.txt".formatted(transport.name().toLowerCase(Locale.ROOT))));
        }
        return found;
    }

    private void profile(ServerProcess server, Crowd crowd, Path file) throws IOException, InterruptedException {
        long before = crowd.tally().deliveries();
        Profile profile = Profile.start(server.view());
        boolean unused =
                crowd.pumpToTheEnd(begin(server, crowd, options.seconds()), PATIENCE.plusSeconds(options.seconds()));
        profile.finish(file, "fan-out over " + transport.title(), crowd.tally().deliveries() - before, out);
    }

    private Storm storm(ServerProcess server, Crowd crowd) throws IOException {
        Round round = begin(server, crowd, STORM_CHUNKS);
        boolean unused = crowd.pump(() -> false, BEFORE_STORM);
        crowd.tally().reset();
        long cpu = server.view().cpuNanos();
        ProcessCounters before = ProcessCounters.now();
        boolean back = crowd.storm(STORM_PATIENCE);
        double serverCpu = (server.view().cpuNanos() - cpu) / 1e9;
        double driverCpu = ProcessCounters.now().since(before).cpuNanos() / 1e9;
        boolean all = crowd.pumpToTheEnd(round, PATIENCE);
        Tally tally = crowd.tally();
        Storm found = new Storm(
                crowd.backAfterSeconds(50),
                back ? crowd.backAfterSeconds(100) : Double.NaN,
                tally.lost() + (all ? 0 : crowd.missing(round)),
                tally.repeatedOrMisfit(),
                tally.faultsByKind(),
                serverCpu,
                driverCpu,
                load());
        out.printf(
                "  storm: half back after %.2f s, all after %.2f; lost %d, repeated %d, faults %s; server %.2f s of processor time, driver %.2f; load %.1f%n",
                found.halfSeconds(),
                found.seconds(),
                found.lost(),
                found.repeated(),
                found.faults(),
                found.serverCpuSeconds(),
                found.driverCpuSeconds(),
                found.load());
        return found;
    }

    private static double load() {
        return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    }

    private static Round begin(ServerProcess server, Crowd crowd, int chunks) throws IOException {
        Round round = Metronome.ask(server, chunks, INTERVAL);
        crowd.expect(round);
        return round;
    }
}
