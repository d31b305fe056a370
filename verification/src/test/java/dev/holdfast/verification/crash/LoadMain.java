package dev.holdfast.verification.crash;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.error.HoldfastException.StreamNotFound;
import dev.holdfast.store.Store;
import dev.holdfast.store.StoreSettings;
import dev.holdfast.store.sqlite.SqliteStore;
import dev.holdfast.stream.AppendRequest;
import dev.holdfast.stream.AppendResult;
import dev.holdfast.stream.Chunk;
import dev.holdfast.stream.Producer;
import dev.holdfast.stream.ReadBatch;
import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamLimits;
import dev.holdfast.stream.StreamListing;
import dev.holdfast.stream.StreamReader;
import dev.holdfast.stream.StreamState;
import dev.holdfast.stream.StreamStatus;
import dev.holdfast.stream.StreamWriter;
import dev.holdfast.turn.Agent;
import dev.holdfast.turn.AgentResult;
import dev.holdfast.turn.TurnContext;
import dev.holdfast.turn.TurnHandle;
import dev.holdfast.turn.TurnLimits;
import dev.holdfast.turn.TurnRequest;
import dev.holdfast.turn.TurnSettings;
import dev.holdfast.turn.TurnStatus;
import dev.holdfast.verification.rig.AppTable;
import dev.holdfast.verification.rig.StoreTap;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

/**
 * The child at full speed: conversations whose end is a cutover with a message in the application's own table, turns that write session
 * messages, an idempotent producer, and a reader for each stream. It takes up what an earlier child left, and says what was acknowledged and
 * what its readers saw, as it happens. Whatever is wrong is a line that begins with BAD.
 */
final class LoadMain {

    private static final int WRITERS = 3;
    private static final int SESSIONS = 2;
    private static final int RESENT = 3;
    private static final int KEPT_CHUNKS = 200;
    private static final String AGENT = "counting";

    private final Report report;
    private final Holdfast holdfast;
    private final String round;

    private LoadMain(Report report, Holdfast holdfast, String round) {
        this.report = report;
        this.holdfast = holdfast;
        this.round = round;
    }

    /** Emits the turn's chunks from where an earlier attempt stopped. */
    private static final Agent COUNTING = new Agent() {
        @Override
        public AgentResult run(TurnContext turn) {
            for (int i = turn.prefix().size(); i < Workload.length(turn.turnId()); i++) {
                turn.emit(List.of(Workload.chunk(turn.turnId(), i)), i + 1);
            }
            return AgentResult.completed();
        }

        @Override
        public Recovery recover(LostTurn turn) {
            return Recovery.CONTINUE;
        }
    };

    static HoldfastSettings settings() {
        TurnLimits limits = new TurnLimits(1000, Duration.ofHours(1), Duration.ofMillis(10), Duration.ofSeconds(5));
        return HoldfastSettings.defaults()
                .withStreams(StreamLimits.defaults()
                        .withMaxJournalBytes(1 << 20)
                        .withMaxOpenBytes(1 << 20)
                        .withMaxLinger(Duration.ofHours(1))) // however slow the machine, no reader of this child is cut
                .withTurns(TurnSettings.defaults().withLimits(limits).withAgent(AGENT, COUNTING));
    }

    public static void main(String[] arguments) throws InterruptedException {
        Report report = Report.onStandardOutput();
        report.line("STARTING");
        Store store = SqliteStore.open(Path.of(arguments[0]), StoreSettings.defaults());
        report.line("OPENED");
        Holdfast holdfast = Holdfast.open(new StoreTap(store, new Recovering(report)), settings());
        report.line("READY");
        LoadMain load = new LoadMain(report, holdfast, arguments[1]);
        for (int w = 0; w < WRITERS; w++) {
            String prefix = "talk" + w + "-";
            load.go(() -> load.converse(prefix));
        }
        for (int s = 0; s < SESSIONS; s++) {
            String session = Workload.SESSION + s;
            load.go(() -> load.takeTurns(session));
        }
        load.go(load::produce);
        new CountDownLatch(1).await(); // until the kill
    }

    /** Tells of each entry of the log. */
    private record Recovering(Report report) implements StoreTap.Observer {
        @Override
        public void recovering(long position) {
            report.line("RECOVERING", position);
        }

        @Override
        public void after(String verb, List<String> earlier) {
            if (verb.equals("recover")) {
                report.line("RECOVERED");
            }
        }
    }

    private void go(Callable<Boolean> work) {
        Thread unused = Thread.ofVirtual().start(() -> {
            try {
                work.call();
            } catch (Exception | Error e) {
                report.line("BAD", e, Arrays.toString(e.getStackTrace()));
            }
        });
    }

    private boolean converse(String prefix) throws Exception {
        for (StreamStatus left : holdfast.streams()
                .list(StreamListing.all().in(Set.of(StreamState.LIVE)).limit(1000))) {
            if (left.name().startsWith(prefix)) {
                talk(left.name());
            }
        }
        for (int n = 0; ; n++) {
            talk(prefix + round + "-" + n);
        }
    }

    private void talk(String name) throws Exception {
        StreamWriter writer = holdfast.streams().open(name);
        report.line("OPEN", name);
        StreamReader reader = holdfast.streams().tail(name, 0);
        go(() -> follow(reader, name, name));
        int length = Workload.length(name);
        int at = Math.toIntExact(writer.tail().seq());
        while (at < length - 1) {
            at = append(writer, at, length - 1);
        }
        List<byte[]> last = at < length ? List.of(Workload.chunk(name, at)) : List.of();
        long tail = writer.settle(Settlement.completed().append(last).discard().commit(AppTable.message(name, length)))
                .tail();
        report.line("CUT", name, tail);
    }

    /** One append in one of three ways; returns where the stream goes on. */
    private int append(StreamWriter writer, int from, int limit) throws Exception {
        String name = writer.name();
        int count = Math.min(1 + from % 4, limit - from);
        List<byte[]> chunks = new ArrayList<>();
        for (int i = from; i < from + count; i++) {
            chunks.add(Workload.chunk(name, i));
        }
        if (from % 3 == 0) {
            List<CompletableFuture<AppendResult>> pipelined = new ArrayList<>();
            for (byte[] chunk : chunks) {
                pipelined.add(writer.appendAsync(AppendRequest.of(List.of(chunk))));
            }
            for (int i = 0; i < count; i++) {
                acknowledge(name, from + i, pipelined.get(i).get());
            }
        } else {
            acknowledge(name, from, writer.appendAll(chunks));
        }
        return from + count;
    }

    private void acknowledge(String name, long expected, AppendResult result) {
        if (result.firstSeq() != expected || result.duplicate()) {
            report.line("BAD", name, "expected to append at", expected, "but it was", result);
        }
        report.line("ACK", name, result.nextSeq());
    }

    /** Tells what a reader sees, and whether it is what belongs there. */
    private boolean follow(StreamReader reader, String name, String content) throws InterruptedException {
        try (reader) {
            while (true) {
                ReadBatch batch = reader.next(100_000);
                for (Chunk chunk : batch.chunks()) {
                    if (!Arrays.equals(chunk.toByteArray(), Workload.chunk(content, chunk.seq()))) {
                        report.line("BAD", name, "has a wrong chunk", chunk.seq());
                    }
                }
                report.line("SAW", name, batch.nextSeq());
                if (batch.ended()) {
                    report.line("CUT", name, batch.tail());
                    return true;
                }
            }
        }
    }

    private boolean produce() {
        StreamWriter writer = holdfast.streams().open(Workload.ENDLESS);
        report.line("OPEN", Workload.ENDLESS);
        long tail = writer.tail().seq();
        for (long seq = Math.max(0, tail - RESENT); seq < tail; seq++) {
            if (!send(writer, seq).duplicate()) {
                report.line("BAD", "append", seq, "was written twice");
            }
        }
        for (long seq = tail; ; seq++) {
            acknowledge(Workload.ENDLESS, seq, send(writer, seq));
            if (seq % 7 == 0 && !send(writer, seq).duplicate()) {
                report.line("BAD", "append", seq, "was written twice");
            }
            if (seq % 50 == 49) {
                holdfast.streams().trim(Workload.ENDLESS, Math.max(0, seq - KEPT_CHUNKS));
            }
        }
    }

    private static AppendResult send(StreamWriter writer, long seq) {
        return writer.append(AppendRequest.of(List.of(Workload.chunk(Workload.ENDLESS, seq)))
                .from(new Producer("producer", 0, seq)));
    }

    private boolean takeTurns(String session) throws Exception {
        holdfast.sessions().create(session);
        for (TurnStatus left : holdfast.turns().live(session)) {
            turn(session, left.id());
        }
        for (int n = 0; ; n++) {
            turn(session, session + "-" + round + "-" + n);
        }
    }

    private void turn(String session, String id) throws Exception {
        TurnRequest request = TurnRequest.of(id, AGENT).writing(Workload.ANSWER + id);
        TurnHandle turn = holdfast.turns().start(session, request);
        report.line("ASKED", session, id);
        String stream = turn.status().streamName();
        if (stream != null) {
            try {
                StreamReader reader = holdfast.streams().tail(stream, 0);
                go(() -> follow(reader, "turn:" + session + ":" + id, id));
            } catch (StreamNotFound e) {
                // it ended in between
            }
        }
        report.line("ENDED", session, id, turn.await().state());
    }
}
