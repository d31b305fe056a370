package dev.holdfast.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.cluster.Coordination.Holder;
import dev.holdfast.cluster.Coordination.Node;
import dev.holdfast.cluster.Coordination.Standing;
import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.StaleEpoch;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class NodesTest {

    private static final long LEASE_MILLIS = Cluster.POLLING.lease().toMillis();
    private static final long REMOVAL_MILLIS = CoordinationLimits.LEASES_UNTIL_REMOVAL * LEASE_MILLIS;

    private final Cluster cluster = new Cluster();
    private final PostgresCoordination coordination = cluster.process(Cluster.POLLING);

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void a_beat_tells_who_is_alive_and_who_holds_what() {
        long a = coordination.join("a");
        long b = coordination.join("b");
        coordination.acquire(1, b);
        coordination.acquire(3, a);
        coordination.release(3, a, 1);
        long before = cluster.number("SELECT extract(epoch FROM clock_timestamp()) * 1000");
        Standing standing = coordination.beat(a);
        long after = cluster.number("SELECT extract(epoch FROM clock_timestamp()) * 1000 + 1");
        assertThat(standing.nodes()).containsExactly(new Node(a, "a"), new Node(b, "b"));
        assertThat(standing.holders())
                .containsExactly(new Holder(0, 0), new Holder(b, 1), new Holder(0, 0), new Holder(0, 1));
        assertThat(standing.databaseMillis()).isBetween(before, after);
        assertThat(coordination.shards()).isEqualTo(Cluster.SHARDS);
    }

    @Test
    void the_number_of_a_node_is_never_used_again() {
        Set<Long> seen = new HashSet<>();
        long keeper = coordination.join("keeper");
        seen.add(keeper);
        for (int i = 0; i < 20; i++) {
            long node = coordination.join("n");
            assertThat(seen.add(node)).isTrue();
            if (i % 2 == 0) {
                coordination.leave(node);
            } else {
                cluster.expire(node, REMOVAL_MILLIS + 1_000);
                coordination.beat(keeper);
            }
        }
        assertThat(coordination.beat(keeper).nodes()).containsExactly(new Node(keeper, "keeper"));
    }

    @Test
    void a_beat_lasts_for_the_lease() {
        long node = coordination.join("a");
        String left = "SELECT extract(epoch FROM expires_at - clock_timestamp()) * 1000 FROM @nodes WHERE id = ?";
        assertThat(cluster.number(left, node)).isBetween(LEASE_MILLIS / 2, LEASE_MILLIS);
        cluster.expire(node, -1_000);
        assertThat(cluster.number(left, node)).isLessThan(LEASE_MILLIS / 2);
        coordination.beat(node);
        assertThat(cluster.number(left, node)).isBetween(LEASE_MILLIS / 2, LEASE_MILLIS);
    }

    @Test
    void a_node_that_is_late_goes_on_if_it_was_not_given_up() {
        long a = coordination.join("a");
        long b = coordination.join("b");
        coordination.acquire(0, a);
        cluster.expire(a, REMOVAL_MILLIS - 5_000);
        assertThat(coordination.beat(b).nodes()).containsExactly(new Node(b, "b"));
        Standing standing = coordination.beat(a);
        assertThat(standing.nodes()).containsExactly(new Node(a, "a"), new Node(b, "b"));
        assertThat(standing.holders().getFirst()).isEqualTo(new Holder(a, 1));
    }

    @Test
    void a_node_that_was_given_up_is_told_so_and_joins_anew() {
        long a = coordination.join("a");
        long b = coordination.join("b");
        coordination.acquire(0, a);
        coordination.send(List.of(Cluster.letter(a, 1, b, "x")));
        cluster.expire(a, REMOVAL_MILLIS + 1_000);
        coordination.beat(b);
        assertThat(cluster.number("SELECT count(*) FROM @inbox")).isZero();
        assertThatThrownBy(() -> coordination.beat(a))
                .isInstanceOf(StaleEpoch.class)
                .hasMessage("Node " + a + " missed its beats and was given up: its leases are gone. Join anew.");
        long again = coordination.join("a");
        assertThat(again).isGreaterThan(b);
        assertThat(coordination.acquire(0, again)).hasValue(2);
    }

    @Test
    void who_leaves_gives_all_leases_back_at_once_and_its_letters_can_be_taken_back() {
        long a = coordination.join("a");
        long b = coordination.join("b");
        for (int shard = 0; shard < Cluster.SHARDS; shard++) {
            coordination.acquire(shard, a);
        }
        coordination.send(List.of(Cluster.letter(a, 1, b, "x"), Cluster.letter(b, 2, a, "kept")));
        coordination.leave(a);
        coordination.leave(a);
        assertThat(coordination.retract(Cluster.letter(a, 1, b, "x"))).isTrue();
        assertThat(coordination.take(b, 10)).hasSize(1);
        for (int shard = 0; shard < Cluster.SHARDS; shard++) {
            assertThat(coordination.acquire(shard, b)).hasValue(2);
        }
        assertThatThrownBy(() -> coordination.beat(a)).isInstanceOf(StaleEpoch.class);
    }

    /** BOUNDED. */
    @Test
    void letters_that_nobody_will_take_are_swept_a_bounded_number_at_a_time() {
        long node = coordination.join("a");
        cluster.update(
                "INSERT INTO @inbox (node, sender, id, body) SELECT 4711, 1, i, '' FROM generate_series(1, ?) i",
                2 * CoordinationLimits.MAX_SWEPT_LETTERS + 1);
        coordination.send(List.of(Cluster.letter(node, 1, node, "kept")));
        long left = cluster.number("SELECT count(*) FROM @inbox");
        for (int i = 0; i < 3; i++) {
            coordination.beat(node);
            long now = cluster.number("SELECT count(*) FROM @inbox");
            assertThat(now).isGreaterThanOrEqualTo(left - CoordinationLimits.MAX_SWEPT_LETTERS);
            left = now;
        }
        assertThat(coordination.take(node, 10)).hasSize(1);
        assertThat(cluster.number("SELECT count(*) FROM @inbox")).isZero();
    }

    @Test
    void connections_that_were_cut_are_replaced() {
        long node = coordination.join("a");
        coordination.beat(node);
        assertThat(cluster.cut("FROM \"%\".holdfast_nodes")).isPositive();
        await().ignoreExceptions()
                .untilAsserted(() -> assertThat(coordination.beat(node).nodes()).hasSize(1));
    }

    @Test
    void settings_that_make_no_sense_are_refused() {
        assertThatThrownBy(() -> Cluster.POLLING.withLease(Duration.ofMillis(10)))
                .isInstanceOf(InvalidArgument.class);
        assertThatThrownBy(() -> Cluster.POLLING.withLockTimeout(Duration.ofMinutes(1)))
                .isInstanceOf(InvalidArgument.class);
        assertThatThrownBy(() -> Cluster.POLLING.withConnections(1)).isInstanceOf(InvalidArgument.class);
        assertThatThrownBy(() -> coordination.acquire(Cluster.SHARDS, 1)).isInstanceOf(InvalidArgument.class);
        assertThatThrownBy(() -> coordination.release(-1, 1, 1)).isInstanceOf(InvalidArgument.class);
    }

    @Test
    void a_dead_node_is_given_up_although_the_databases_clock_went_back_as_that_of_a_standby_may() {
        PostgresCoordination lasting = cluster.process(Cluster.POLLING.withLease(CoordinationSettings.MAX_LEASE));
        long dead = lasting.join("dead");
        long alive = lasting.join("alive");
        cluster.expire(dead, -Duration.ofDays(1).toMillis());

        assertThat(lasting.beat(alive).nodes()).hasSize(2);

        assertThat(cluster.number(
                        "SELECT ceil(extract(epoch FROM expires_at - clock_timestamp())) FROM @nodes WHERE id = ?",
                        dead))
                .isBetween(1L, CoordinationSettings.MAX_LEASE.toSeconds());
    }
}
