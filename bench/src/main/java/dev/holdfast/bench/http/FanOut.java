package dev.holdfast.bench.http;

import dev.holdfast.bench.http.server.NodeReference;
import dev.holdfast.bench.http.server.ServerProcess;
import dev.holdfast.bench.http.wire.EventWriter;
import dev.holdfast.bench.http.wire.Requests;
import dev.holdfast.bench.http.wire.Subscribers;
import dev.holdfast.bench.report.Bar;
import dev.holdfast.bench.report.ProcessCounters;
import dev.holdfast.bench.report.Section;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/**
 * One JSON stream, 50 events a second, 1,000 subscribers. The latency of a delivery counts from the moment at which its event was due. The
 * process that reads is this one; its processor time is printed, since a reader that is busy all the time would measure itself.
 */
final class FanOut {

    private static final int SUBSCRIBERS = 1_000;
    private static final Duration INTERVAL = Duration.ofMillis(20);
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final double MAX_P99_MILLIS = 50;
    private static final String NAME = "events";
    private static final String JSON = "application/json";

    private final Options options;
    private final @Nullable NodeReference reference;
    private final PrintStream out;

    FanOut(Options options, @Nullable NodeReference reference, PrintStream out) {
        this.options = options;
        this.reference = reference;
        this.out = out;
    }

    /**
     * One run.
     *
     * @param rate events per second that the writer reached
     * @param lost deliveries that never came
     * @param disordered how often a subscriber got another event than the next one
     * @param readerCores processors that the reading process kept busy
     * @param serverCpuMicros the server's processor time for each delivery
     */
    private record Run(
            double rate,
            double p50Millis,
            double p99Millis,
            long lost,
            long disordered,
            double readerCores,
            double serverCpuMicros) {

        Map<String, Object> asMap() {
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("eventsPerSecond", rate);
            map.put("p50Millis", p50Millis);
            map.put("p99Millis", p99Millis);
            map.put("lost", lost);
            map.put("disordered", disordered);
            map.put("readerCores", readerCores);
            map.put("serverCpuMicrosPerDelivery", serverCpuMicros);
            return map;
        }
    }

    Section measure() throws IOException, InterruptedException {
        int events = options.run().quick() ? 150 : 1_000;
        out.printf("%n%d events, one each %d ms, to %,d subscribers%n", events, INTERVAL.toMillis(), SUBSCRIBERS);
        out.printf(
                "%-20s %9s %9s %9s %7s %11s %13s %11s%n",
                "", "events/s", "p50 ms", "p99 ms", "lost", "disordered", "reader cores", "server us");
        Map<Contender, Run> runs = new EnumMap<>(Contender.class);
        try (Fleet fleet = Fleet.start(options, EnumSet.allOf(Contender.class), reference, 0)) {
            for (Map.Entry<Contender, ServerProcess> each : fleet.servers().entrySet()) {
                Run unused = run(each.getValue(), NAME + "-warm-up", events / 2);
                Run run = run(each.getValue(), NAME, events);
                runs.put(each.getKey(), run);
                out.printf(
                        "%-20s %9.1f %9.2f %9.2f %7d %11d %13.2f %11.1f%n",
                        each.getKey().title(),
                        run.rate(),
                        run.p50Millis(),
                        run.p99Millis(),
                        run.lost(),
                        run.disordered(),
                        run.readerCores(),
                        run.serverCpuMicros());
            }
        }
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("subscribers", SUBSCRIBERS);
        figures.put("events", events);
        runs.forEach((contender, run) -> figures.put(contender.name(), run.asMap()));
        Run holdfast = runs.get(Contender.HOLDFAST);
        return new Section(
                "sse",
                figures,
                List.of(
                        Bar.atMost(
                                "SSE, 50 events/s to 1,000 subscribers: p99",
                                holdfast == null ? Double.NaN : holdfast.p99Millis(),
                                MAX_P99_MILLIS,
                                "ms"),
                        Bar.atMost(
                                "SSE, 50 events/s to 1,000 subscribers: lost or out of order",
                                holdfast == null ? Double.NaN : holdfast.lost() + holdfast.disordered(),
                                0,
                                "events")));
    }

    private static Run run(ServerProcess server, String name, int events) throws IOException, InterruptedException {
        try (Streams streams = new Streams(server.uri())) {
            streams.create(name, JSON, new byte[0]);
        }
        String path = Streams.ROOT + name;
        try (Subscribers subscribers =
                Subscribers.open(server.address(), Requests.get(path + "?offset=-1&live=sse"), SUBSCRIBERS)) {
            long cpuBefore = server.view().cpuNanos();
            ProcessCounters before = ProcessCounters.now();
            long start = System.nanoTime();
            FutureTask<Double> writer =
                    new FutureTask<>(() -> new EventWriter(server.address(), path).write(events, INTERVAL));
            Thread.ofPlatform().daemon().start(writer);
            boolean written = subscribers.pump(
                    writer::isDone, INTERVAL.multipliedBy(events).plus(PATIENCE));
            boolean delivered = written && subscribers.pump(() -> subscribers.allHave(events), PATIENCE);
            double rate = written ? writer.get() : Double.NaN;
            long nanos = System.nanoTime() - start;
            long expected = (long) events * SUBSCRIBERS;
            return new Run(
                    rate,
                    subscribers.percentileMillis(50),
                    subscribers.percentileMillis(99),
                    delivered ? 0 : Math.max(0, expected - subscribers.delivered()),
                    subscribers.disordered(),
                    (double) ProcessCounters.now().since(before).cpuNanos() / nanos,
                    (server.view().cpuNanos() - cpuBefore) / 1e3 / Math.max(1, subscribers.delivered()));
        } catch (ExecutionException e) {
            throw new IOException("the events could not be written", e.getCause());
        }
    }
}
