package dev.holdfast.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.error.HoldfastException.StoreBusy;
import dev.holdfast.error.HoldfastException.StorePoisoned;
import dev.holdfast.stream.AppendRequest;
import dev.holdfast.stream.StreamWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

final class LeasesTest {

    private static final int THREADS = 4;

    private final Cluster cluster = new Cluster();
    private final PostgresCoordination coordination = cluster.process(Cluster.POLLING
            .withLease(CoordinationSettings.MAX_LEASE)
            .withConnections(THREADS)
            .withLockTimeout(Duration.ofSeconds(8)));

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void the_epoch_grows_each_time_a_lease_is_taken() {
        long a = coordination.join("a");
        long b = coordination.join("b");
        assertThat(coordination.acquire(2, a)).hasValue(1);
        assertThat(coordination.acquire(2, b)).isEmpty();
        assertThat(coordination.acquire(2, a)).hasValue(2);
        coordination.release(2, a, 2);
        assertThat(coordination.acquire(2, b)).hasValue(3);
        cluster.expire(b, 1);
        assertThat(coordination.acquire(2, a)).hasValue(4);
        assertThat(coordination.acquire(1, a)).hasValue(1);
    }

    @Test
    void only_the_holder_gives_a_lease_back_and_only_this_one() {
        long a = coordination.join("a");
        long b = coordination.join("b");
        coordination.acquire(0, a);
        coordination.release(0, b, 1);
        coordination.release(0, a, 2);
        assertThat(coordination.acquire(0, b)).isEmpty();
        coordination.release(0, a, 1);
        coordination.release(0, a, 1);
        assertThat(coordination.acquire(0, b)).hasValue(2);
    }

    @Test
    void a_node_that_is_not_alive_gets_nothing() {
        long a = coordination.join("a");
        cluster.expire(a, 1);
        assertThat(coordination.acquire(0, a)).isEmpty();
        assertThat(coordination.acquire(0, 4711)).isEmpty();
        coordination.beat(a);
        assertThat(coordination.acquire(0, a)).hasValue(1);
    }

    /** ONE-WRITER: what the holder before commits comes before the new epoch. */
    @Test
    void a_taker_waits_for_a_commit_that_is_under_way() throws Exception {
        long a = coordination.join("a");
        long b = coordination.join("b");
        coordination.acquire(0, a);
        cluster.expire(a, 1);
        try (Connection writer = cluster.connect();
                ExecutorService pool = Executors.newSingleThreadExecutor()) {
            lock(writer, 0);
            Future<OptionalLong> taken = pool.submit(() -> coordination.acquire(0, b));
            await().until(() -> cluster.connectionsAt("UPDATE % SET epoch = epoch + 1, node") == 1
                    && cluster.number("SELECT count(*) FROM pg_locks WHERE NOT granted") > 0);
            assertThat(cluster.number("SELECT epoch FROM @shards WHERE shard = 0"))
                    .isEqualTo(1);
            assertThat(taken.isDone()).isFalse();
            writer.commit();
            assertThat(taken.get()).hasValue(2);
        }
    }

    @Test
    void a_commit_that_takes_too_long_keeps_the_lease_for_now() throws Exception {
        PostgresCoordination hurried = cluster.process(Cluster.POLLING.withLockTimeout(Duration.ofMillis(50)));
        long a = hurried.join("a");
        long b = hurried.join("b");
        hurried.acquire(0, a);
        cluster.expire(a, 1);
        try (Connection writer = cluster.connect()) {
            lock(writer, 0);
            assertThat(hurried.acquire(0, b)).isEmpty();
            assertThatThrownBy(() -> hurried.release(0, a, 1)).isInstanceOf(StoreBusy.class);
            writer.rollback();
        }
        assertThat(hurried.acquire(0, b)).hasValue(2);
    }

    /** A holder that stops in the middle of a transaction is cut off by the server, and its lease goes to another node. */
    @Test
    void a_frozen_holder_loses_its_lease() throws Exception {
        long a = coordination.join("a");
        long b = coordination.join("b");
        coordination.acquire(0, a);
        try (Connection frozen = cluster.connect()) {
            lock(frozen, 0);
            try (Statement statement = frozen.createStatement()) {
                statement.execute("SET LOCAL idle_in_transaction_session_timeout = 200");
            }
            cluster.expire(a, 1);
            assertThat(coordination.acquire(0, b)).hasValue(2);
            assertThatThrownBy(frozen::commit).isInstanceOf(SQLException.class);
        }
    }

    @Test
    void of_nodes_that_race_for_the_shard_of_a_dead_one_exactly_one_wins() throws Exception {
        long[] nodes = new long[THREADS];
        for (int i = 0; i < THREADS; i++) {
            nodes[i] = coordination.join("n" + i);
        }
        long dead = coordination.join("dead");
        CyclicBarrier start = new CyclicBarrier(THREADS);
        try (ExecutorService pool = Executors.newFixedThreadPool(THREADS)) {
            for (int round = 1; round <= 200; round++) {
                cluster.update("UPDATE @shards SET node = ? WHERE shard = 0", round % 2 == 0 ? dead : 4711L);
                if (round == 1) {
                    cluster.expire(dead, 1);
                }
                List<Callable<OptionalLong>> tries = new ArrayList<>();
                for (long node : nodes) {
                    tries.add(() -> {
                        start.await();
                        return coordination.acquire(0, node);
                    });
                }
                int winners = 0;
                for (Future<OptionalLong> result : pool.invokeAll(tries)) {
                    OptionalLong epoch = result.get();
                    if (epoch.isPresent()) {
                        winners++;
                        assertThat(epoch).hasValue(round);
                    }
                }
                assertThat(winners).isEqualTo(1);
            }
        }
    }

    /** ONE-WRITER: thousands of leases taken, given back and lost; no epoch is given twice, none is lower than one before. */
    @Test
    void leases_that_many_nodes_take_give_back_and_lose_are_never_held_twice() throws Exception {
        AtomicLongArray newest = new AtomicLongArray(Cluster.SHARDS);
        AtomicLongArray holders = new AtomicLongArray(Cluster.SHARDS);
        AtomicInteger acquired = new AtomicInteger();
        AtomicBoolean go = new AtomicBoolean(true);
        List<Callable<Void>> workers = new ArrayList<>();
        for (int worker = 0; worker < THREADS; worker++) {
            Random random = new Random(worker);
            workers.add(() -> {
                long node = coordination.join("n");
                try {
                    while (go.get()) {
                        int shard = random.nextInt(2);
                        OptionalLong epoch = coordination.acquire(shard, node);
                        if (epoch.isEmpty()) {
                            continue;
                        }
                        long before = newest.getAndUpdate(shard, known -> Math.max(known, epoch.getAsLong()));
                        assertThat(epoch.getAsLong()).isGreaterThan(before);
                        assertThat(holders.compareAndSet(shard, 0, node)).isTrue();
                        if (acquired.incrementAndGet() >= 2_000) {
                            go.set(false);
                        }
                        // this is the end of its holding; only then may it be taken
                        assertThat(holders.compareAndSet(shard, node, 0)).isTrue();
                        if (random.nextInt(4) == 0) {
                            cluster.expire(node, 1);
                            node = coordination.join("n");
                        } else {
                            coordination.release(shard, node, epoch.getAsLong());
                        }
                    }
                } finally {
                    go.set(false); // one that failed would leave the others without leases to take
                }
                return null;
            });
        }
        try (ExecutorService pool = Executors.newFixedThreadPool(THREADS)) {
            for (Future<Void> done : pool.invokeAll(workers)) {
                done.get();
            }
        }
        assertThat(newest.get(0) + newest.get(1)).isEqualTo(acquired.get());
    }

    @Test
    void a_lease_whose_acquisition_was_not_answered_is_found_by_the_next_try() {
        AtomicBoolean cut = new AtomicBoolean();
        PostgresSettings settings = PostgresSettings.of(cuttingCommits(cut))
                .withSchema(cluster.settings().schema())
                .withShards(Cluster.SHARDS);
        try (PostgresDatabase database = PostgresDatabase.open(settings);
                PostgresCoordination cutOff = database.coordination(Cluster.POLLING)) {
            long a = cutOff.join("a");
            long b = cutOff.join("b");
            cut.set(true);
            assertThatThrownBy(() -> cutOff.acquire(0, a)).isInstanceOf(StoreBusy.class);
            cut.set(false);
            assertThat(cluster.number("SELECT node FROM @shards WHERE shard = 0"))
                    .isEqualTo(a);
            assertThat(cutOff.acquire(0, b)).isEmpty();
            assertThat(cutOff.acquire(0, a)).hasValue(1);
            assertThat(cutOff.acquire(0, a)).hasValue(2);
        }
    }

    /** ONE-WRITER: what the holder before acknowledged is there for the next one, and it acknowledges nothing any more. */
    @Test
    void the_store_of_a_lost_lease_writes_no_more() {
        long a = coordination.join("a");
        long b = coordination.join("b");
        long first = coordination.acquire(0, a).orElseThrow();
        try (Holdfast before = Holdfast.open(coordination.store(0, first), HoldfastSettings.defaults())) {
            StreamWriter writer = before.streams().open("s");
            writer.append("one");
            cluster.expire(a, 1);
            long second = coordination.acquire(0, b).orElseThrow();
            try (Holdfast after = Holdfast.open(coordination.store(0, second), HoldfastSettings.defaults())) {
                assertThatThrownBy(() -> writer.append("two")).isInstanceOf(StorePoisoned.class);
                assertThat(after.streams()
                                .append("s", AppendRequest.of(List.of(new byte[] {3})))
                                .firstSeq())
                        .isEqualTo(1);
            }
        }
    }

    private void lock(Connection writer, int shard) throws SQLException {
        writer.setAutoCommit(false);
        try (Statement statement = writer.createStatement()) {
            statement.execute(cluster.named("SELECT 1 FROM @shards WHERE shard = %d FOR SHARE".formatted(shard)));
        }
    }

    /** Connections that break when a commit was done and before it is answered. */
    private DataSource cuttingCommits(AtomicBoolean cut) {
        PGSimpleDataSource real = new PGSimpleDataSource();
        real.setUrl(PostgresServer.shared().jdbcUrl());
        real.setUser(cluster.settings().user());
        return proxy(DataSource.class, real, (method, result) -> {
            if (!method.equals("getConnection")) {
                return result;
            }
            return proxy(Connection.class, (Connection) result, (called, answer) -> {
                if (called.equals("commit") && cut.get()) {
                    throw new SQLException("cut", "08006");
                }
                return answer;
            });
        });
    }

    private interface Answers {
        Object of(String method, Object result) throws SQLException;
    }

    private static <T> T proxy(Class<T> type, T real, Answers answers) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> {
            try {
                return answers.of(method.getName(), method.invoke(real, args));
            } catch (InvocationTargetException e) {
                throw e.getCause() == null ? e : e.getCause();
            }
        }));
    }
}
