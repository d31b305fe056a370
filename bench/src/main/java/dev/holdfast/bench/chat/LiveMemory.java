package dev.holdfast.bench.chat;

import dev.holdfast.bench.command.Scratch;
import dev.holdfast.bench.http.server.ServerProcess;
import dev.holdfast.bench.http.wire.AnswerReader;
import dev.holdfast.bench.report.Section;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a live turn occupies in the server after 400 chunks (24 KB, which are in memory until a block is full): growth of the heap after two full
 * collections. Each has a reader.
 */
final class LiveMemory {

    private final Options options;
    private final PrintStream out;

    LiveMemory(Options options, PrintStream out) {
        this.options = options;
        this.out = out;
    }

    Section measure() throws IOException, InterruptedException {
        int turns = options.run().quick() ? 100 : 1_000;
        List<AnswerReader> readers = new ArrayList<>();
        try (Scratch scratch = Scratch.in(options.run().folder());
                ServerProcess server = ChatServer.start(scratch.path().resolve("memory"))) {
            begin(server, "warm-up-", turns / 10, new ArrayList<>());
            double before = server.view().heapBytesAfterCollections();
            begin(server, "chat-", turns, readers);
            double with = server.view().heapBytesAfterCollections();
            double perTurn = (with - before) / turns;
            out.printf(
                    "%n%,d live turns of %d chunks, each with a reader: %.1f KiB of heap each, of which %.1f KiB are chunks%n",
                    turns, Deltas.CHUNKS, perTurn / 1024, Deltas.CHUNKS * Deltas.CHUNK_BYTES / 1024.0);
            Map<String, Object> figures = new LinkedHashMap<>();
            figures.put("turns", turns);
            figures.put("heapBytesPerTurn", perTurn);
            figures.put("residentBytes", server.view().residentBytes());
            return new Section("memory", figures, List.of());
        } finally {
            for (AnswerReader reader : readers) {
                reader.close();
            }
        }
    }

    private static void begin(ServerProcess server, String prefix, int turns, List<AnswerReader> readers)
            throws IOException {
        for (int i = 0; i < turns; i++) {
            AnswerReader reader = new AnswerReader(server.address());
            readers.add(reader);
            Arrivals arrivals = new Arrivals(new Latencies());
            reader.ask(
                    ChatRequests.post(prefix + i, "question", Agents.HELD),
                    arrivals::bytes,
                    () -> arrivals.count() == Deltas.CHUNKS);
        }
    }
}
