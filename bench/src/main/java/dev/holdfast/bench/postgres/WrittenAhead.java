package dev.holdfast.bench.postgres;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.bench.report.Bar;
import dev.holdfast.bench.report.Median;
import dev.holdfast.bench.report.Section;
import dev.holdfast.node.NodeSettings;
import dev.holdfast.store.postgres.PostgresSettings;
import dev.holdfast.stream.Settlement;
import dev.holdfast.stream.StreamLimits;
import dev.holdfast.stream.StreamWriter;
import java.io.PrintStream;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Bytes of WAL for each byte that an application stores, from the first append until nothing is left in the log: what is deleted later is
 * counted too.
 *
 * <p>Every producer waits for each append, so a row of the log holds one chunk, which is the dearest. A checkpoint stands before the run, and
 * after it a warm-up, so that the full images of pages that are always there (those of the leases, say) are not counted as if they were of each turn.
 */
final class WrittenAhead {

    private static final int SHARDS = 8;
    private static final int WORKERS = 64;
    private static final int CHUNK_BYTES = 200;

    /** How long the rows of a discarded stream stay: short, to wait less for their deletion, which costs the same. */
    private static final Duration LINGER = Duration.ofSeconds(1);

    private static final Duration MAX_UPKEEP = Duration.ofMinutes(2);
    private static final long LOOK_MILLIS = 200;

    /** What is stored. */
    private enum Shape {
        STREAM("a stream of 20 chunks, settled and discarded", 2.5),
        TURN("a whole turn of 20 chunks, with its question and answer", 2.5),
        FOLDED("a stream of more than 256 KiB, folded and kept", 4.5);

        private final String title;
        private final double maxBytes;

        Shape(String title, double maxBytes) {
            this.title = title;
            this.maxBytes = maxBytes;
        }
    }

    /**
     * @param whileWritten bytes of WAL until the last one ended
     * @param afterwards those of the upkeep that was left then
     * @param pageImages how many of the server's records held a whole page
     */
    private record Cost(long whileWritten, long afterwards, long pageImages, long payloadBytes, long leftRows) {
        double perByte() {
            return (double) (whileWritten + afterwards) / payloadBytes;
        }

        double perByteAfterwards() {
            return (double) afterwards / payloadBytes;
        }
    }

    private final Database database;
    private final Options options;
    private final PrintStream out;

    WrittenAhead(Database database, Options options, PrintStream out) {
        this.database = database;
        this.options = options;
        this.out = out;
    }

    Section measure() throws Exception {
        Map<Shape, List<Cost>> costs = new EnumMap<>(Shape.class);
        for (int round = 0; round < options.rounds(); round++) {
            for (Shape shape : Shape.values()) {
                costs.computeIfAbsent(shape, none -> new ArrayList<>()).add(cost(shape));
            }
        }
        out.printf("%nWAL bytes per byte stored%n");
        Map<String, Object> figures = new LinkedHashMap<>();
        List<Bar> bars = new ArrayList<>();
        costs.forEach((shape, rounds) -> {
            double perByte = Median.of(rounds, Cost::perByte);
            long left = rounds.stream().mapToLong(Cost::leftRows).sum();
            double afterwards = Median.of(rounds, Cost::perByteAfterwards);
            out.printf("  %-58s %.2f, of it %.2f after the end%n", shape.title, perByte, afterwards);
            if (left > 0) {
                out.printf("    %,d rows of the log were still there after %s%n", left, MAX_UPKEEP);
            }
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("walBytesPerByte", perByte);
            map.put("afterTheEnd", afterwards);
            map.put("pageImages", rounds.stream().map(Cost::pageImages).toList());
            map.put("rounds", rounds.stream().map(Cost::perByte).toList());
            map.put("payloadBytes", rounds.getFirst().payloadBytes());
            map.put("leftRows", left);
            figures.put(shape.name().toLowerCase(Locale.ROOT), map);
            bars.add(Bar.atMost("WAL per byte, " + shape.title, perByte, shape.maxBytes, "x"));
        });
        return new Section("wal", figures, bars);
    }

    private Cost cost(Shape shape) throws Exception {
        PostgresSettings settings = database.settings(SHARDS);
        HoldfastSettings engines =
                Turns.settings().withStreams(StreamLimits.defaults().withMaxLinger(LINGER));
        try (Member node = Member.join(settings, engines, NodeSettings.named("only"))) {
            node.holding(SHARDS);
            Holdfast holdfast = node.holdfast();
            if (shape == Shape.TURN) {
                Turns.createSessions(holdfast, "session-", WORKERS);
            }
            int each = each(shape);
            run(shape, holdfast, "first", Math.max(1, each / 4));
            database.run("CHECKPOINT");
            run(shape, holdfast, "warm", Math.max(1, each / 4));
            var unused = untilNothingIsLeft(settings);
            long images = pageImages();
            long before = database.walBytes();
            run(shape, holdfast, "measured", each);
            long ended = database.walBytes();
            long left = untilNothingIsLeft(settings);
            return new Cost(
                    ended - before,
                    database.walBytes() - ended,
                    pageImages() - images,
                    (long) WORKERS * each * payloadBytes(shape),
                    left);
        } finally {
            database.drop(settings);
        }
    }

    /** How many each worker makes: fewer of what is larger. */
    private int each(Shape shape) {
        return switch (shape) {
            case STREAM, TURN -> 10 * options.seconds();
            case FOLDED -> 1;
        };
    }

    /** Chunks of a folded stream: two full blocks in a quick run, four otherwise, and a bit. */
    private int foldedChunks() {
        return options.run().quick() ? 2_800 : 5_400;
    }

    private long payloadBytes(Shape shape) {
        return switch (shape) {
            case STREAM -> Turns.answerBytes();
            case TURN -> Turns.answerBytes() + Turns.QUESTION_BYTES;
            case FOLDED -> (long) foldedChunks() * CHUNK_BYTES;
        };
    }

    private void run(Shape shape, Holdfast holdfast, String phase, int each) throws InterruptedException {
        Workers.run(WORKERS, each, (worker, number) -> {
            String name = phase + "-" + worker + "-" + number;
            switch (shape) {
                case STREAM -> {
                    StreamWriter writer = holdfast.streams().open(name);
                    Turns.chunks().forEach(writer::append);
                    var unused = writer.settle(Settlement.completed().discard());
                }
                case TURN -> Turns.run(holdfast, "session-" + worker, name);
                case FOLDED -> {
                    StreamWriter writer = holdfast.streams().open(name);
                    byte[] chunk = Crowd.random(CHUNK_BYTES, worker);
                    for (int i = 0; i < foldedChunks(); i++) {
                        writer.append(chunk);
                    }
                    var unused = writer.settle(Settlement.completed());
                }
            }
        });
    }

    /** Waits until the upkeep has folded or deleted all that is in the log; returns how many rows it left if that takes too long. */
    private long untilNothingIsLeft(PostgresSettings settings) throws SQLException, InterruptedException {
        long deadline = System.nanoTime() + MAX_UPKEEP.toNanos();
        long left = logRows(settings);
        while (left > 0 && System.nanoTime() - deadline < 0) {
            Thread.sleep(LOOK_MILLIS);
            left = logRows(settings);
        }
        return left;
    }

    /** Counted by the server, up to ten seconds late: a sign of what the bytes are, no exact figure. */
    private long pageImages() throws SQLException {
        return database.number("SELECT wal_fpi FROM pg_stat_wal");
    }

    private long logRows(PostgresSettings settings) throws SQLException {
        return database.number("SELECT count(*) FROM " + settings.schema() + ".holdfast_segments");
    }
}
