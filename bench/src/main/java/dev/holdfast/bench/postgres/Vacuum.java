package dev.holdfast.bench.postgres;

import dev.holdfast.bench.report.Section;
import dev.holdfast.node.NodeSettings;
import dev.holdfast.store.postgres.PostgresSettings;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Many whole turns: which dead rows they leave, whether autovacuum, as the tables ask for it, keeps up, and what it costs. */
final class Vacuum {

    private static final int SHARDS = 64;
    private static final int SESSIONS = 256;
    private static final Duration LOOK = Duration.ofSeconds(1);

    /** An idle connection of the server reports what it counted ten seconds late. */
    private static final long LATE_COUNTS_SECONDS = 11;

    private final Database database;
    private final Options options;
    private final PrintStream out;

    Vacuum(Database database, Options options, PrintStream out) {
        this.database = database;
        this.options = options;
        this.out = out;
    }

    Section measure() throws Exception {
        PostgresSettings settings = database.settings(SHARDS);
        try (Member node = Member.join(settings, Turns.settings(), NodeSettings.named("only"))) {
            node.holding(SHARDS);
            Turns.createSessions(node.holdfast(), "session-", SESSIONS);
            int each = Math.ceilDiv(options.turns(), SESSIONS);
            CountDownLatch over = new CountDownLatch(1);
            FutureTask<Long> peak = new FutureTask<>(() -> peak(settings.schema(), over));
            Thread unused = Thread.startVirtualThread(peak);
            long start = System.nanoTime();
            double seconds;
            try {
                Workers.run(
                        SESSIONS,
                        each,
                        (worker, number) -> Turns.run(node.holdfast(), "session-" + worker, "turn-" + number));
                seconds = (System.nanoTime() - start) / 1e9;
                awaitLastRun();
            } finally {
                over.countDown();
            }
            return section(settings.schema(), SESSIONS * each, seconds, peakOf(peak));
        } finally {
            database.drop(settings);
        }
    }

    /** In a full run the streams' rows go, half a minute after the turns, and autovacuum has one more occasion. */
    private void awaitLastRun() throws SQLException, InterruptedException {
        long seconds = options.run().quick()
                ? 0
                : database.number("SELECT extract(epoch FROM current_setting('autovacuum_naptime')::interval)::bigint");
        TimeUnit.SECONDS.sleep(seconds + LATE_COUNTS_SECONDS);
    }

    /** The most dead rows that were seen at a time, in all tables together. */
    private long peak(String schema, CountDownLatch over) throws SQLException, InterruptedException {
        long most = 0;
        do {
            long dead = DeadRows.of(database, schema).stream()
                    .mapToLong(DeadRows::dead)
                    .sum();
            most = Math.max(most, dead);
        } while (!over.await(LOOK.toMillis(), TimeUnit.MILLISECONDS));
        return most;
    }

    private static long peakOf(FutureTask<Long> peak) throws InterruptedException {
        try {
            return peak.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("the dead rows could not be counted", e.getCause());
        }
    }

    private Section section(String schema, int turns, double seconds, long peak) throws SQLException, IOException {
        List<DeadRows> tables = DeadRows.of(database, schema);
        long dead = tables.stream().mapToLong(DeadRows::dead).sum();
        AutovacuumLog log = log(schema);
        out.printf("%nDead rows after %,d turns of %d chunks, %,.0f turns/s%n", turns, Turns.CHUNKS, turns / seconds);
        out.printf("  %,d dead rows at the end, at most %,d at a time%n", dead, Math.max(dead, peak));
        for (DeadRows table : tables) {
            out.printf(
                    "  %-28s %,11d inserted %,10d updated (%,d in place) %,11d deleted %,10d dead, vacuumed %d times, %,.1f MB%n",
                    table.table(),
                    table.inserted(),
                    table.updated(),
                    table.updatedInPlace(),
                    table.deleted(),
                    table.dead(),
                    table.vacuums(),
                    table.bytes() / 1e6);
        }
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("turns", turns);
        figures.put("turnsPerSecond", turns / seconds);
        figures.put("deadAtEnd", dead);
        figures.put("deadAtMost", Math.max(dead, peak));
        figures.put("tables", tables.stream().map(DeadRows::asMap).toList());
        if (log == null) {
            out.println("  what autovacuum cost is in the log of a server that the benchmark starts");
        } else {
            out.printf(
                    "  autovacuum: %d runs, %.2f s together, of it %.2f s of processor time; the turns took %.0f s%n",
                    log.runs(), log.seconds(), log.cpuSeconds(), seconds);
            figures.put("autovacuum", log.asMap());
        }
        return new Section("vacuum", figures, List.of());
    }

    private @Nullable AutovacuumLog log(String schema) throws IOException {
        Path log = database.log();
        return log == null ? null : AutovacuumLog.of(Files.readAllLines(log), schema);
    }
}
