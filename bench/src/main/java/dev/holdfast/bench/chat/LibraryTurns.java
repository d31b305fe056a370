package dev.holdfast.bench.chat;

import dev.holdfast.Holdfast;
import dev.holdfast.bench.command.Scratch;
import dev.holdfast.bench.core.CountingStore;
import dev.holdfast.bench.report.ProcessCounters;
import dev.holdfast.session.MessageDraft;
import dev.holdfast.store.StoreSettings;
import dev.holdfast.store.sqlite.SqliteStore;
import dev.holdfast.stream.Chunk;
import dev.holdfast.stream.ReadBatch;
import dev.holdfast.stream.StreamLimits;
import dev.holdfast.stream.StreamReader;
import dev.holdfast.turn.TurnHandle;
import dev.holdfast.turn.TurnRequest;
import dev.holdfast.turn.TurnState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Turns of an embedded Holdfast: the agent, and a reader that tails the turn's stream to its end, in the store's process. The only contender
 * whose written bytes are those of its files alone, and whose syncs can be counted.
 */
final class LibraryTurns implements Contender.Running {

    private final Scratch scratch;
    private final CountingStore store;
    private final Holdfast holdfast;
    private volatile Latencies acknowledged = new Latencies();
    private long sessions;

    LibraryTurns(Path folder) throws IOException {
        scratch = Scratch.in(folder);
        store = new CountingStore(SqliteStore.open(scratch.path().resolve("library"), StoreSettings.defaults()));
        holdfast = Holdfast.open(store, Agents.settings(since -> acknowledged.add(since)));
    }

    @Override
    public TurnSample run(int turns, int inARow) throws IOException, InterruptedException {
        acknowledged = new Latencies();
        Latencies seen = new Latencies();
        AtomicLong lost = new AtomicLong();
        String prefix = "run-" + sessions++ + "-";
        for (int worker = 0; worker < turns; worker++) {
            var unused = holdfast.sessions().create(prefix + worker);
        }
        long commits = store.commits();
        ProcessCounters before = ProcessCounters.now();
        long nanos =
                Workers.run(turns, inARow, (worker, number) -> turn(prefix + worker, "turn-" + number, seen, lost));
        long written = ProcessCounters.now().since(before).writtenBytes();
        return new TurnSample(
                (long) turns * inARow,
                nanos,
                acknowledged.millis(50),
                acknowledged.millis(99),
                seen.millis(50),
                seen.millis(99),
                lost.get(),
                written,
                store.commits() - commits);
    }

    private void turn(String session, String id, Latencies seen, AtomicLong lost) throws InterruptedException {
        MessageDraft question = MessageDraft.of("question-" + id, "user", ChatRequests.QUESTION);
        TurnHandle turn = holdfast.turns().start(session, TurnRequest.answer(id, Agents.MEASURED, question));
        String stream = Objects.requireNonNull(turn.status().streamName());
        Arrivals arrivals = new Arrivals(seen);
        try (StreamReader reader = holdfast.streams().tail(stream, 0)) {
            ReadBatch batch;
            do {
                batch = reader.next(StreamLimits.MAX_READ_BYTES);
                for (Chunk chunk : batch.chunks()) {
                    byte[] bytes = chunk.toByteArray();
                    arrivals.bytes(bytes, 0, bytes.length);
                }
            } while (!batch.ended());
        }
        lost.addAndGet(Deltas.CHUNKS - arrivals.count());
        TurnState end = turn.await().state();
        if (end != TurnState.COMPLETED) {
            throw new IllegalStateException("a turn ended as " + end);
        }
    }

    @Override
    public void close() throws IOException {
        holdfast.close();
        scratch.close();
    }
}
