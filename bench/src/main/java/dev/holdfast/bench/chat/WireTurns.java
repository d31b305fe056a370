package dev.holdfast.bench.chat;

import dev.holdfast.bench.command.Scratch;
import dev.holdfast.bench.http.server.ServerProcess;
import dev.holdfast.bench.http.wire.AnswerReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Turns of a server process: each worker posts its messages on a connection of its own and reads the answers as they come. */
final class WireTurns implements Contender.Running {

    private final Scratch scratch;
    private final ServerProcess server;
    private long sessions;

    WireTurns(Path folder) throws IOException, InterruptedException {
        scratch = Scratch.in(folder);
        server = ChatServer.start(scratch.path().resolve("wire"));
    }

    @Override
    public TurnSample run(int turns, int inARow) throws IOException, InterruptedException {
        Latencies seen = new Latencies();
        AtomicLong lost = new AtomicLong();
        String prefix = "run-" + sessions++ + "-";
        List<AnswerReader> connections = new ArrayList<>();
        try {
            for (int worker = 0; worker < turns; worker++) {
                connections.add(new AnswerReader(server.address()));
            }
            long nanos = Workers.run(turns, inARow, (worker, number) -> {
                Arrivals arrivals = new Arrivals(seen);
                byte[] post = ChatRequests.post(prefix + worker, "question-" + number, Agents.MEASURED);
                connections.get(worker).ask(post, arrivals::bytes, () -> false);
                lost.addAndGet(Deltas.CHUNKS - arrivals.count());
            });
            return new TurnSample(
                    (long) turns * inARow,
                    nanos,
                    Double.NaN,
                    Double.NaN,
                    seen.millis(50),
                    seen.millis(99),
                    lost.get(),
                    -1,
                    -1);
        } finally {
            for (AnswerReader connection : connections) {
                connection.close();
            }
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        scratch.close();
    }
}
