package dev.holdfast.store.postgres;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.cluster.Coordination.Letter;
import dev.holdfast.cluster.Coordination.Listener;
import dev.holdfast.stream.StreamWriter;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Semaphore;

/** Measures what docs/coordination.md says: run it by hand, on a machine that does nothing else. */
public final class CoordinationCosts {

    private static final int WARM_UP = 500;
    private static final int ROUNDS = 2_000;

    private CoordinationCosts() {}

    public static void main(String[] args) throws Exception {
        try (Cluster cluster = new Cluster()) {
            PostgresCoordination here = cluster.process(CoordinationSettings.DEFAULTS);
            PostgresCoordination there = cluster.process(CoordinationSettings.DEFAULTS);
            hints(cluster, here, there);
            letters(here, there);
            beats(here);
            log(cluster, here);
        }
    }

    private static void hints(Cluster cluster, PostgresCoordination here, PostgresCoordination there) throws Exception {
        Semaphore heard = new Semaphore(0);
        AutoCloseable listening = there.listen(listener(() -> {}, heard::release, heard::release));
        heard.acquire();
        long node = here.join("writer");
        long epoch = here.acquire(0, node).orElseThrow();
        long[] commits = new long[ROUNDS];
        long[] afterwards = new long[ROUNDS];
        try (Holdfast holdfast = Holdfast.open(here.store(0, epoch), HoldfastSettings.defaults())) {
            StreamWriter writer = holdfast.streams().open("measured");
            byte[] chunk = new byte[200];
            for (int i = -WARM_UP; i < ROUNDS; i++) {
                long before = System.nanoTime();
                writer.append(chunk);
                long committed = System.nanoTime();
                here.hint(0, new long[] {1});
                heard.acquire();
                if (i >= 0) {
                    commits[i] = committed - before;
                    afterwards[i] = System.nanoTime() - committed;
                }
            }
        }
        print("append, committed", commits);
        print("from the commit to the hint", afterwards);
        listening.close();
        here.leave(node);
        cluster.update("UPDATE @shards SET node = NULL");
    }

    private static void letters(PostgresCoordination here, PostgresCoordination there) throws Exception {
        long client = here.join("client");
        long server = there.join("server");
        Semaphore answers = new Semaphore(0);
        Semaphore ready = new Semaphore(0);
        AutoCloseable serving = there.listen(listener(
                () -> there.take(server, 100)
                        .forEach(letter -> there.send(List.of(new Letter(client, letter.id(), server, letter.body())))),
                () -> {},
                ready::release));
        AutoCloseable asking = here.listen(
                listener(() -> answers.release(here.take(client, 100).size()), () -> {}, ready::release));
        ready.acquire(2);
        byte[] body = new byte[500];
        long[] times = new long[ROUNDS];
        for (int i = -WARM_UP; i < ROUNDS; i++) {
            long before = System.nanoTime();
            here.send(List.of(new Letter(server, i, client, body)));
            answers.acquire();
            if (i >= 0) {
                times[i] = System.nanoTime() - before;
            }
        }
        print("letter and answer", times);
        serving.close();
        asking.close();
    }

    private static void beats(PostgresCoordination here) {
        long node = here.join("beating");
        long[] times = new long[ROUNDS];
        for (int i = -WARM_UP; i < ROUNDS; i++) {
            long before = System.nanoTime();
            here.beat(node);
            if (i >= 0) {
                times[i] = System.nanoTime() - before;
            }
        }
        print("beat", times);
    }

    private static void log(Cluster cluster, PostgresCoordination here) throws SQLException {
        long node = here.join("filled");
        String bytes = "SELECT wal_bytes FROM pg_stat_wal";
        String syncs = "SELECT wal_sync FROM pg_stat_wal";
        long bytesBefore = settled(cluster, bytes);
        long syncsBefore = cluster.number(syncs);
        for (int i = 0; i < ROUNDS; i++) {
            here.send(List.of(new Letter(node, i, node, new byte[10_000])));
            here.take(node, 1);
        }
        long written = settled(cluster, bytes) - bytesBefore;
        System.out.printf(
                Locale.ROOT,
                "%-30s %d bytes of log, %.3f syncs%n",
                "a letter of 10,000 bytes",
                written / ROUNDS,
                (cluster.number(syncs) - syncsBefore) / (double) ROUNDS);
    }

    /** The server publishes its counters when a connection has been idle for a moment, or ends. */
    private static long settled(Cluster cluster, String counter) throws SQLException {
        try (java.sql.Connection connection = cluster.connect();
                java.sql.Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_sleep(12)");
        }
        return cluster.number(counter);
    }

    private static Listener listener(Runnable letters, Runnable changed, Runnable lost) {
        return new Listener() {
            @Override
            public void letters(long node) {
                letters.run();
            }

            @Override
            public void changed(int shard, long[] keys) {
                changed.run();
            }

            @Override
            public void leases() {}

            @Override
            public void lost() {
                lost.run();
            }
        };
    }

    private static void print(String what, long[] nanos) {
        long[] sorted = nanos.clone();
        Arrays.sort(sorted);
        System.out.printf(
                Locale.ROOT,
                "%-30s p50 %.2f ms, p99 %.2f ms%n",
                what,
                sorted[sorted.length / 2] / 1e6,
                sorted[sorted.length * 99 / 100] / 1e6);
    }
}
