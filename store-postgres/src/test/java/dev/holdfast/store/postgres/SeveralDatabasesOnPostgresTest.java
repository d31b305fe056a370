package dev.holdfast.store.postgres;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.cluster.Coordination;
import dev.holdfast.cluster.SeveralDatabases;
import dev.holdfast.error.HoldfastException.StoreFailed;
import dev.holdfast.testkit.cluster.ClusterContract;
import dev.holdfast.testkit.cluster.Nodes;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Nodes whose shards lie in two schemas of a real server, which are two databases to them. */
final class SeveralDatabasesOnPostgresTest extends ClusterContract {

    private final List<PostgresSettings> settings = List.of(part(0), part(1));
    private final List<PostgresDatabase> databases = new ArrayList<>();

    private static PostgresSettings part(int number) {
        return PostgresServer.shared().settings().withShards(Nodes.SHARDS).withPart(number, 2);
    }

    @Override
    protected Coordination open() {
        List<Coordination> parts = new ArrayList<>();
        for (PostgresSettings each : settings) {
            PostgresDatabase database = PostgresDatabase.open(each);
            databases.add(database);
            parts.add(database.coordination(
                    CoordinationSettings.DEFAULTS.withLockTimeout(Nodes.LEASE).withLease(Nodes.LEASE)));
        }
        return new SeveralDatabases(parts, Nodes.LEASE);
    }

    @Override
    protected void closeDatabase() {
        databases.forEach(PostgresDatabase::close);
    }

    @Test
    void databases_that_are_given_in_another_order_or_number_are_refused() {
        PostgresDatabase.open(settings.getFirst()).close();
        for (PostgresSettings wrong : List.of(
                settings.getFirst().withPart(1, 2),
                settings.getFirst().withPart(0, 3),
                settings.getFirst().withPart(0, 1))) {
            assertThatExceptionOfType(StoreFailed.class)
                    .isThrownBy(() -> PostgresDatabase.open(wrong))
                    .withMessageContaining("was database 1 of 2");
        }
    }
}
