package dev.holdfast.bench.http;

import dev.holdfast.bench.http.server.NodeReference;
import dev.holdfast.bench.http.server.ServerProcess;
import dev.holdfast.bench.http.wire.Download;
import dev.holdfast.bench.http.wire.Requests;
import dev.holdfast.bench.report.Bar;
import dev.holdfast.bench.report.Median;
import dev.holdfast.bench.report.Section;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One client that comes to a stream of 20,000 JSON messages and reads all of it, on a connection that is open already. */
final class CatchUp {

    private static final int CHUNKS = 20_000;
    private static final int CHUNK_BYTES = 61;
    private static final int CHUNKS_PER_POST = 1_000;
    private static final double MAX_MILLIS = 15;
    private static final String NAME = "long";
    private static final String JSON = "application/json";

    private final Options options;
    private final @Nullable NodeReference reference;
    private final PrintStream out;

    CatchUp(Options options, @Nullable NodeReference reference, PrintStream out) {
        this.options = options;
        this.reference = reference;
        this.out = out;
    }

    Section measure() throws IOException, InterruptedException {
        int runs = options.run().quick() ? 10 : 50;
        out.printf(
                "%nCatch-up of %,d stored JSON chunks of %d bytes by one client, %d round(s) of %d%n%-20s %9s %11s%n",
                CHUNKS, CHUNK_BYTES, options.rounds(), runs, "", "ms", "server us");
        Map<Contender, List<Double>> millis = new EnumMap<>(Contender.class);
        Map<Contender, List<Double>> cpu = new EnumMap<>(Contender.class);
        try (Fleet fleet = Fleet.start(options, EnumSet.allOf(Contender.class), reference, contentBytes())) {
            for (ServerProcess server : fleet.servers().values()) {
                fill(server);
                List<Double> unused = run(server, 2 * runs);
            }
            for (int round = 0; round < options.rounds(); round++) {
                for (Map.Entry<Contender, ServerProcess> each : fleet.servers().entrySet()) {
                    long before = each.getValue().view().cpuNanos();
                    millis.computeIfAbsent(each.getKey(), contender -> new ArrayList<>())
                            .addAll(run(each.getValue(), runs));
                    cpu.computeIfAbsent(each.getKey(), contender -> new ArrayList<>())
                            .add((each.getValue().view().cpuNanos() - before) / 1e3 / runs);
                }
            }
        }
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("chunks", CHUNKS);
        figures.put("chunkBytes", CHUNK_BYTES);
        millis.forEach((contender, each) -> {
            double median = Median.of(each, Double::doubleValue);
            double cpuMicros = Median.of(cpu.getOrDefault(contender, List.of()), Double::doubleValue);
            out.printf("%-20s %9.2f %11.0f%n", contender.title(), median, cpuMicros);
            figures.put(contender.name(), Map.of("millis", median, "serverCpuMicros", cpuMicros));
        });
        return new Section(
                "catchup",
                figures,
                List.of(Bar.atMost(
                        "catch-up of 20,000 JSON chunks of 61 bytes",
                        Median.of(millis.getOrDefault(Contender.HOLDFAST, List.of()), Double::doubleValue),
                        MAX_MILLIS,
                        "ms")));
    }

    private static int contentBytes() {
        return CHUNKS * (CHUNK_BYTES + 1) + 1; // commas between, brackets around
    }

    private static void fill(ServerProcess server) throws IOException, InterruptedException {
        String message = "\"" + "x".repeat(CHUNK_BYTES - 2) + "\"";
        byte[] body = ("[" + String.join(",", Collections.nCopies(CHUNKS_PER_POST, message)) + "]")
                .getBytes(StandardCharsets.US_ASCII);
        try (Streams streams = new Streams(server.uri())) {
            streams.create(NAME, JSON, new byte[0]);
            for (int i = 0; i < CHUNKS / CHUNKS_PER_POST; i++) {
                streams.append(NAME, JSON, body);
            }
        }
    }

    private static List<Double> run(ServerProcess server, int times) throws IOException {
        List<Double> millis = new ArrayList<>();
        try (Download download = new Download(server.address(), Requests.get(Streams.ROOT + NAME + "?offset=-1"))) {
            for (int i = 0; i < times; i++) {
                millis.add(download.millis(contentBytes()));
            }
        }
        return millis;
    }
}
