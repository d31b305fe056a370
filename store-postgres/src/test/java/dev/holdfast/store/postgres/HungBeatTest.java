package dev.holdfast.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastSettings;
import dev.holdfast.node.NodeSettings;
import dev.holdfast.store.postgres.CuttingProxy.Cut;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class HungBeatTest {

    private static final Duration LEASE = Duration.ofMillis(1_500);
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final String BEAT = "SET expires_at = ";

    @Test
    void a_node_whose_beat_is_never_answered_gives_its_shards_up_and_takes_them_again_ONE_WRITER() throws Exception {
        PostgresServer server = PostgresServer.shared();
        try (CuttingProxy proxy = new CuttingProxy(server.port())) {
            // statements travel as text, so that the proxy can read them; and none of them would end for long
            PostgresSettings settings = server.settings(PostgresServer.jdbcUrl(proxy.port()))
                    .withPooler(PostgresSettings.Pooler.PER_TRANSACTION)
                    .withTimeouts(Duration.ofDays(1), Duration.ofSeconds(1), Duration.ofSeconds(1));
            try (PostgresDatabase database = PostgresDatabase.open(settings);
                    Holdfast node = Holdfast.join(
                            database.coordination(CoordinationSettings.DEFAULTS
                                    .withLockTimeout(LEASE)
                                    .withLease(LEASE)),
                            HoldfastSettings.defaults(),
                            NodeSettings.named("node").withLease(LEASE).withoutHints())) {
                await().atMost(PATIENCE).until(() -> node.shardsHeld() == settings.shards());

                proxy.arm(new Cut.Held(BEAT));

                await().atMost(PATIENCE).until(() -> proxy.hasCut() && node.shardsHeld() == 0);
                await().atMost(PATIENCE).until(() -> node.shardsHeld() == settings.shards() && node.healthy());
                proxy.deliver();
            }
            assertThat(proxy.disarm()).isTrue();
        }
    }
}
