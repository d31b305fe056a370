package dev.holdfast.bench.core;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.bench.command.Scratch;
import dev.holdfast.bench.report.ProcessCounters;
import dev.holdfast.bench.report.Section;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.store.StoreSettings;
import dev.holdfast.store.sqlite.SqliteStore;
import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamWriter;
import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnRequest;
import dev.holdfast.turn.TurnSettings;
import dev.holdfast.turn.TurnState;
import java.io.IOException;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a whole turn costs when nobody else writes, and what of that is its stream. No commit is shared here, so this is the dearest a turn
 * can be.
 *
 * <p><b>The turn</b>: a session is created; the user's message, the turn and its stream are written; an agent emits 400 chunks of 61 bytes,
 * each durable before the next; the cutover writes the answer (all chunks, one after the other), the outcome and the feed, and discards the
 * stream. <b>The stream</b>: the same chunks on a stream that is opened, and at the end settled and discarded in one transaction.
 */
final class TurnCost {

    private static final int CHUNKS = 400;
    private static final int CHUNK_BYTES = 61;
    private static final int QUESTION_BYTES = 200;
    private static final String STREAM = "alone";
    private static final String AGENT = "emitting";

    private final Options options;
    private final PrintStream out;

    TurnCost(Options options, PrintStream out) {
        this.options = options;
        this.out = out;
    }

    private record Counts(long commits, long rows, long bytes, long nanos) {}

    private interface Life {
        void run(Holdfast holdfast, int number) throws InterruptedException;
    }

    Section measure() throws IOException, InterruptedException {
        out.println();
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("chunks", CHUNKS);
        figures.put("chunkBytes", CHUNK_BYTES);
        figures.put("payloadBytes", CHUNKS * CHUNK_BYTES);
        figures.put("turn", cost("A whole turn", TurnCost::turn));
        figures.put("stream", cost("A turn's stream alone", TurnCost::stream));
        return new Section("turn", figures, List.of());
    }

    /** The second of two lives on a fresh store: the first reserves keys, fills statement caches and compiles. */
    private Map<String, Object> cost(String what, Life life) throws IOException, InterruptedException {
        Agent agent = turn -> {
            for (int i = 0; i < CHUNKS; i++) {
                turn.emit(filled(CHUNK_BYTES));
            }
            return AgentResult.completed();
        };
        HoldfastSettings settings =
                HoldfastSettings.defaults().withTurns(TurnSettings.defaults().withAgent(AGENT, agent));
        try (Scratch scratch = Scratch.in(options.run().folder())) {
            CountingStore store =
                    new CountingStore(SqliteStore.open(scratch.path().resolve("turn"), StoreSettings.defaults()));
            try (Holdfast holdfast = Holdfast.open(store, settings)) {
                life.run(holdfast, 1);
                Counts before = counts(holdfast, store);
                life.run(holdfast, 2);
                return difference(what, before, counts(holdfast, store));
            }
        }
    }

    private static void stream(Holdfast holdfast, int number) {
        StreamWriter writer = holdfast.streams().open(STREAM);
        for (int i = 0; i < CHUNKS; i++) {
            writer.append(filled(CHUNK_BYTES));
        }
        writer.settle(Settlement.completed().discard());
    }

    private static void turn(Holdfast holdfast, int number) throws InterruptedException {
        String session = "session-" + number;
        MessageDraft question = MessageDraft.of("question", "user", filled(QUESTION_BYTES));
        var unused = holdfast.sessions().create(session);
        TurnState end = holdfast.turns()
                .start(session, TurnRequest.answer("turn", AGENT, question))
                .await()
                .state();
        if (end != TurnState.COMPLETED) {
            throw new IllegalStateException("the turn ended as " + end);
        }
    }

    private static byte[] filled(int length) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) 'x');
        return bytes;
    }

    private static Counts counts(Holdfast holdfast, CountingStore store) {
        store.lookAtRows();
        if (holdfast.streams().status(STREAM).isPresent()) { // begins a transaction on the committer's thread
            throw new IllegalStateException("the stream was not discarded");
        }
        return new Counts(store.commits(), store.rows(), ProcessCounters.now().writtenBytes(), System.nanoTime());
    }

    private Map<String, Object> difference(String what, Counts before, Counts after) {
        long payload = (long) CHUNKS * CHUNK_BYTES;
        long commits = after.commits() - before.commits();
        long rows = after.rows() - before.rows();
        long bytes = before.bytes() < 0 ? -1 : after.bytes() - before.bytes();
        double millis = (after.nanos() - before.nanos()) / 1e6;
        out.printf(
                "%s, %d chunks of %d bytes: %d commits (one fsync each), %d rows, %d bytes written"
                        + " (%.1f per byte of the chunks), %.0f ms%n",
                what, CHUNKS, CHUNK_BYTES, commits, rows, bytes, (double) bytes / payload, millis);
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("fsyncs", commits);
        figures.put("rows", rows);
        figures.put("writtenBytes", bytes);
        figures.put("millis", millis);
        return figures;
    }
}
