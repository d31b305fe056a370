package dev.holdfast.bench.http;

import dev.holdfast.bench.http.server.NodeReference;
import dev.holdfast.bench.http.server.ServerProcess;
import dev.holdfast.bench.http.wire.Requests;
import dev.holdfast.bench.http.wire.Subscribers;
import dev.holdfast.bench.report.Bar;
import dev.holdfast.bench.report.Section;
import java.io.IOException;
import java.io.PrintStream;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What it costs a server to hold event streams on which nothing happens: the growth of its heap after two full collections, and of what its
 * process occupies, for each connection. A few connections come and go before, so that what is needed once is there.
 */
final class IdleCrowd {

    private static final int BEFORE = 200;
    private static final double MAX_HEAP_BYTES = 8 << 10;
    private static final String NAME = "idle";

    private final Options options;
    private final @Nullable NodeReference reference;
    private final PrintStream out;

    IdleCrowd(Options options, @Nullable NodeReference reference, PrintStream out) {
        this.options = options;
        this.reference = reference;
        this.out = out;
    }

    Section measure() throws IOException, InterruptedException {
        int connections = options.run().quick() ? 2_000 : 10_000;
        out.printf("%n%,d idle event streams%n%-20s %15s %15s%n", connections, "", "heap B each", "resident B each");
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("connections", connections);
        double holdfast = Double.NaN;
        try (Fleet fleet = Fleet.start(
                options, EnumSet.of(Contender.HOLDFAST, Contender.BARE, Contender.NODE_MEMORY), reference, 0)) {
            for (Map.Entry<Contender, ServerProcess> each : fleet.servers().entrySet()) {
                ServerProcess server = each.getValue();
                try (Streams streams = new Streams(server.uri())) {
                    streams.create(NAME, "application/json", new byte[0]);
                }
                byte[] request = Requests.get(Streams.ROOT + NAME + "?offset=-1&live=sse");
                Subscribers.open(server.address(), request, BEFORE).close();
                boolean jvm = each.getKey() != Contender.NODE_MEMORY;
                double heapBefore = jvm ? server.view().heapBytesAfterCollections() : Double.NaN;
                double residentBefore = server.view().residentBytes();
                try (Subscribers subscribers = Subscribers.open(server.address(), request, connections)) {
                    double resident = (server.view().residentBytes() - residentBefore) / connections;
                    double heap =
                            jvm ? (server.view().heapBytesAfterCollections() - heapBefore) / connections : Double.NaN;
                    out.printf("%-20s %15.0f %15.0f%n", each.getKey().title(), heap, resident);
                    figures.put(each.getKey().name(), Map.of("heapBytes", heap, "residentBytes", resident));
                    holdfast = each.getKey() == Contender.HOLDFAST ? heap : holdfast;
                    if (subscribers.delivered() > 0) {
                        throw new IOException("events came where none were written");
                    }
                }
            }
        }
        return new Section(
                "idle",
                figures,
                List.of(Bar.atMost(
                        "heap for each of %,d idle event streams".formatted(connections),
                        holdfast,
                        MAX_HEAP_BYTES,
                        "B")));
    }
}
