package dev.holdfast.bench.core;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.bench.report.ProcessCounters;
import dev.holdfast.bench.report.Section;
import dev.holdfast.store.StoreSettings;
import dev.holdfast.store.sqlite.SqliteStore;
import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamWriter;
import java.io.IOException;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the whole life of one stream costs when nobody else writes: it is opened, 400 chunks of 61 bytes are appended one after the other,
 * each durable before the next, and it is settled and discarded in one transaction. No commit is shared here, so this is the dearest a
 * turn's stream can be.
 */
final class TurnCost {

    private static final int CHUNKS = 400;
    private static final int CHUNK_BYTES = 61;
    private static final String NAME = "turn";

    private final Options options;
    private final PrintStream out;

    TurnCost(Options options, PrintStream out) {
        this.options = options;
        this.out = out;
    }

    private record Counts(long commits, long rows, long bytes, long nanos) {}

    Section measure() throws IOException {
        try (Scratch scratch = Scratch.in(options.folder())) {
            CountingStore store =
                    new CountingStore(SqliteStore.open(scratch.path().resolve("turn"), StoreSettings.defaults()));
            try (Holdfast holdfast = Holdfast.open(store, HoldfastSettings.defaults())) {
                turn(holdfast); // reserves keys, fills statement caches, compiles
                Counts before = counts(holdfast, store);
                turn(holdfast);
                Counts after = counts(holdfast, store);
                return section(before, after);
            }
        }
    }

    private static void turn(Holdfast holdfast) {
        byte[] chunk = new byte[CHUNK_BYTES];
        Arrays.fill(chunk, (byte) 'x');
        StreamWriter writer = holdfast.streams().open(NAME);
        for (int i = 0; i < CHUNKS; i++) {
            writer.append(chunk);
        }
        writer.settle(Settlement.completed().discard());
    }

    private static Counts counts(Holdfast holdfast, CountingStore store) {
        store.lookAtRows();
        if (holdfast.streams().status(NAME).isPresent()) { // begins a transaction on the committer's thread
            throw new IllegalStateException("the stream was not discarded");
        }
        return new Counts(store.commits(), store.rows(), ProcessCounters.now().writtenBytes(), System.nanoTime());
    }

    private Section section(Counts before, Counts after) {
        long payload = (long) CHUNKS * CHUNK_BYTES;
        long commits = after.commits() - before.commits();
        long rows = after.rows() - before.rows();
        long bytes = before.bytes() < 0 ? -1 : after.bytes() - before.bytes();
        double millis = (after.nanos() - before.nanos()) / 1e6;
        out.printf(
                "%nA turn's stream, %d chunks of %d bytes, alone: %d commits (one fsync each), %d rows, %d bytes written"
                        + " (%.1f per payload byte), %.0f ms%n",
                CHUNKS, CHUNK_BYTES, commits, rows, bytes, (double) bytes / payload, millis);
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("chunks", CHUNKS);
        figures.put("chunkBytes", CHUNK_BYTES);
        figures.put("payloadBytes", payload);
        figures.put("fsyncs", commits);
        figures.put("rows", rows);
        figures.put("writtenBytes", bytes);
        figures.put("millis", millis);
        return new Section("turn", figures, List.of());
    }
}
