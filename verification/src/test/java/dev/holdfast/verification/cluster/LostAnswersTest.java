package dev.holdfast.verification.cluster;

import static dev.holdfast.verification.rig.Patience.await;

import dev.holdfast.models.loopback.Pace;
import dev.holdfast.store.postgres.CuttingProxy;
import dev.holdfast.store.postgres.CuttingProxy.Cut;
import dev.holdfast.store.postgres.PostgresServer;
import dev.holdfast.verification.cluster.Servers.Way;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Connections of servers at full work that are cut in the middle of a commit, so that nobody knows its fate; and a server that is cut off. */
final class LostAnswersTest {

    private static final boolean NIGHTLY = "nightly".equals(System.getProperty("holdfast.profile"));
    private static final int CUTS = NIGHTLY ? 1_000 : 40;
    private static final int NUMBERS_PER_SECOND = 40;

    /** How an append begins that is a transaction by itself. */
    private static final String APPEND = "WITH fence AS";
    /** With the end of the text, as the isolation level has the word in it. */
    private static final String COMMIT = "COMMIT\0";
    /** So short that each answer and each packet is longer. */
    private static final int MAX_BYTES = 5;

    @TempDir
    private Path scratch;

    private static Cut cut(Random random) {
        String mark = random.nextBoolean() ? APPEND : COMMIT;
        int bytes = random.nextInt(MAX_BYTES);
        return random.nextBoolean() ? new Cut.BeforeTheServer(mark, bytes) : new Cut.BeforeTheAnswer(mark, bytes);
    }

    @Test
    @Timeout(3600)
    void what_is_acknowledged_is_there_once_wherever_a_commit_is_cut_EXACT_PREFIX_NEVER_BOTH_ONE_OUTCOME()
            throws Exception {
        long seed = Long.getLong("holdfast.seed", System.nanoTime());
        Random random = new Random(seed);
        PostgresServer database = PostgresServer.shared();
        try (CuttingProxy proxy = new CuttingProxy(database.port());
                CountingModel model = new CountingModel(Pace.eventsPerSecond(NUMBERS_PER_SECOND));
                Servers servers =
                        new Servers(scratch, model.options(), database.jdbcUrl(), server -> Way.through(proxy));
                Load load = new Load(servers, seed)) {
            try {
                load.awaitProgress();
                for (int i = 0; i < CUTS; i++) {
                    proxy.arm(cut(random));
                    await().until(proxy::hasCut);
                }
                load.awaitProgress();
                load.finish();
                load.check();
            } catch (Exception | AssertionError e) {
                throw new AssertionError("-Dholdfast.seed=%d\n%s".formatted(seed, servers.logs()), e);
            }
        }
    }

    @Test
    @Timeout(600)
    void a_server_that_is_cut_off_for_longer_than_its_lease_gives_its_shards_up_and_takes_its_share_again_ONE_WRITER()
            throws Exception {
        long seed = Long.getLong("holdfast.seed", System.nanoTime());
        PostgresServer database = PostgresServer.shared();
        int victim = new Random(seed).nextInt(Servers.COUNT);
        try (CuttingProxy proxy = new CuttingProxy(database.port());
                CountingModel model = new CountingModel(Pace.eventsPerSecond(NUMBERS_PER_SECOND));
                Servers servers = new Servers(
                        scratch,
                        model.options(),
                        database.jdbcUrl(),
                        server -> server == victim ? Way.through(proxy) : Way.to(database.jdbcUrl()));
                Load load = new Load(servers, seed)) {
            try {
                load.awaitProgress();
                proxy.shut();
                await().until(() -> servers.shardsOf(victim) == 0 && servers.heldShards() == Servers.SHARDS);
                load.awaitProgress();
                proxy.reopen();
                servers.awaitShares();
                load.awaitProgress();
                load.finish();
                load.check();
            } catch (Exception | AssertionError e) {
                throw new AssertionError("-Dholdfast.seed=%d\n%s".formatted(seed, servers.logs()), e);
            }
        }
    }
}
