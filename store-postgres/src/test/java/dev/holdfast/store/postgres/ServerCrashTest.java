package dev.holdfast.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.cluster.Coordination.Holder;
import dev.holdfast.cluster.Coordination.Listener;
import dev.holdfast.cluster.Coordination.Standing;
import dev.holdfast.error.HoldfastException.StoreBusy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class ServerCrashTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** What others rely on is there after a crash; letters are not, and nobody waits for them for ever. */
    @Test
    void nodes_and_leases_outlive_a_crash_of_the_server_and_hints_come_back() throws Exception {
        try (PostgresServer server = PostgresServer.start();
                Cluster cluster = new Cluster(server)) {
            PostgresCoordination coordination =
                    cluster.process(CoordinationSettings.DEFAULTS.withLease(CoordinationSettings.MAX_LEASE));
            AtomicInteger losses = new AtomicInteger();
            AtomicInteger changes = new AtomicInteger();
            AutoCloseable listening = coordination.listen(new Listener() {
                @Override
                public void letters(long node) {}

                @Override
                public void changed(int shard, long[] keys) {
                    changes.incrementAndGet();
                }

                @Override
                public void leases() {}

                @Override
                public void lost() {
                    losses.incrementAndGet();
                }
            });
            assertThat(listening).isNotNull();
            await().until(() -> losses.get() == 1);
            long a = coordination.join("a");
            long b = coordination.join("b");
            assertThat(coordination.acquire(0, a)).hasValue(1);
            coordination.send(List.of(Cluster.letter(b, 1, a, "x")));

            server.crash();
            assertThatThrownBy(() -> coordination.beat(a)).isInstanceOf(StoreBusy.class);
            assertThatThrownBy(() -> coordination.acquire(1, a)).isInstanceOf(StoreBusy.class);
            assertThatThrownBy(() -> coordination.take(b, 10)).isInstanceOf(StoreBusy.class);
            server.restart();

            await().atMost(PATIENCE).ignoreExceptionsInstanceOf(StoreBusy.class).untilAsserted(() -> {
                Standing standing = coordination.beat(a);
                assertThat(standing.nodes()).hasSize(2);
                assertThat(standing.holders().getFirst()).isEqualTo(new Holder(a, 1));
            });
            assertThat(coordination.acquire(0, b)).isEmpty();
            assertThat(coordination.take(b, 10)).isEmpty();
            coordination.send(List.of(Cluster.letter(b, 1, a, "y")));
            assertThat(coordination.take(b, 10)).extracting(Cluster::text).containsExactly("y");
            assertThat(coordination.join("c")).isGreaterThan(b);
            await().atMost(PATIENCE).until(() -> losses.get() >= 2);
            PostgresCoordination other = cluster.process(CoordinationSettings.DEFAULTS);
            other.hint(0, new long[] {1});
            await().atMost(PATIENCE).until(() -> changes.get() > 0);
        }
    }
}
