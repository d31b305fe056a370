package dev.holdfast.verification.mcp;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.examples.mcp.fixture.FixtureServer;
import dev.holdfast.node.NodeSettings;
import dev.holdfast.store.postgres.CoordinationSettings;
import dev.holdfast.store.postgres.PostgresDatabase;
import dev.holdfast.store.postgres.PostgresSettings;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** The fixture of MCP as one node of a cluster, in a process of its own: {@code NodeMain JDBC-URL SCHEMA NAME LEASE-SECONDS}. */
final class NodeMain {

    private NodeMain() {}

    public static void main(String[] arguments) throws Exception {
        Duration lease = Duration.ofSeconds(Long.parseLong(arguments[3]));
        PostgresDatabase database = PostgresDatabase.open(PostgresSettings.of(arguments[0])
                .withUser("postgres", "")
                .withSchema(arguments[1])
                .withShards(Nodes.SHARDS));
        Holdfast holdfast = Holdfast.join(
                database.coordination(CoordinationSettings.DEFAULTS.withLease(lease)),
                HoldfastSettings.defaults(),
                NodeSettings.named(arguments[2]).withLease(lease));
        FixtureServer server = FixtureServer.start(0, holdfast);
        System.out.println("http://%s:%d%s".formatted(FixtureServer.LOOPBACK, server.port(), FixtureServer.PATH));
        new CountDownLatch(1).await(); // until it is killed
    }
}
