package dev.holdfast.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.Holdfast;
import dev.holdfast.cluster.Coordination;
import dev.holdfast.cluster.Coordination.Holder;
import dev.holdfast.cluster.SeveralDatabases;
import dev.holdfast.error.HoldfastException.InvalidArgument;
import dev.holdfast.error.HoldfastException.StoreBusy;
import dev.holdfast.store.Time;
import dev.holdfast.stream.StreamWriter;
import dev.holdfast.testkit.SimCoordination;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Nodes whose shards lie in three simulated databases. */
final class SeveralDatabasesTest extends ClusterContract {

    private final List<SimCoordination> databases = List.of(database(), database(), database());

    private static SimCoordination database() {
        return new SimCoordination(Nodes.SHARDS, Time.system(), Nodes.LEASE);
    }

    @Override
    protected Coordination open() {
        return new SeveralDatabases(List.copyOf(databases), Nodes.LEASE);
    }

    @Test
    void each_database_has_its_own_shards_and_no_others() {
        try (Nodes nodes = new Nodes(this::open)) {
            Holdfast a = nodes.join("a");
            Holdfast b = nodes.join("b");
            nodes.awaitBalance();
            for (String name : nodes.names()) {
                a.streams().open(name).append("at a");
                b.streams().open(name).append("at b");
            }
            for (int i = 0; i < databases.size(); i++) {
                List<Holder> holders = databases.get(i).holders();
                for (int shard = 0; shard < Nodes.SHARDS; shard++) {
                    assertThat(holders.get(shard).epoch() > 0).isEqualTo(shard % databases.size() == i);
                }
            }
        }
    }

    @Test
    void a_database_that_is_away_takes_only_its_own_shards_with_it() {
        try (Nodes nodes = new Nodes(this::open)) {
            Holdfast a = nodes.join("a");
            nodes.awaitBalance();
            List<StreamWriter> writers =
                    nodes.names().stream().map(name -> a.streams().open(name)).toList();
            databases.get(1).down(true);
            for (int shard = 0; shard < Nodes.SHARDS; shard++) {
                StreamWriter writer = writers.get(shard);
                if (shard % databases.size() == 1) {
                    assertThatExceptionOfType(StoreBusy.class).isThrownBy(() -> writer.append("lost"));
                } else {
                    writer.append("there");
                }
            }
            databases.get(1).down(false);
            Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .ignoreExceptions()
                    .untilAsserted(() -> writers.forEach(writer -> writer.append("again")));
        }
    }

    @Test
    void databases_that_are_divided_otherwise_are_refused() {
        SimCoordination other = new SimCoordination(Nodes.SHARDS + 1, Time.system(), Nodes.LEASE);
        assertThatExceptionOfType(InvalidArgument.class)
                .isThrownBy(() -> new SeveralDatabases(List.of(databases.getFirst(), other), Nodes.LEASE))
                .withMessageContaining("same number of shards");
    }
}
