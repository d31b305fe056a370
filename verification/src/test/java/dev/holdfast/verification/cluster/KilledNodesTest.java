package dev.holdfast.verification.cluster;

import dev.holdfast.models.loopback.Pace;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Servers of a cluster that are killed at full work and come back, again and again, at instants that a seed decides as far as anything can. */
final class KilledNodesTest {

    private static final boolean NIGHTLY = "nightly".equals(System.getProperty("holdfast.profile"));
    private static final int ROUNDS = NIGHTLY ? 20 : 2;
    private static final int MAX_APPENDS = 200;
    private static final int NUMBERS_PER_SECOND = 40;

    @TempDir
    private Path scratch;

    @ParameterizedTest
    @EnumSource
    @Timeout(3600)
    void
            whatever_clients_were_told_is_there_once_and_goes_on_at_the_servers_that_are_left_NEVER_BOTH_EXACT_PREFIX_ONE_OUTCOME(
                    Learning learning) throws Exception {
        long seed = Long.getLong("holdfast.seed", System.nanoTime());
        Random random = new Random(seed);
        try (CountingModel model = new CountingModel(Pace.eventsPerSecond(NUMBERS_PER_SECOND));
                Servers servers = new Servers(scratch, model.options(learning));
                Load load = new Load(servers, seed)) {
            try {
                load.awaitProgress();
                for (int round = 0; round < ROUNDS; round++) {
                    load.awaitAppends(1 + random.nextInt(MAX_APPENDS));
                    int victim = random.nextInt(Servers.COUNT);
                    servers.kill(victim);
                    load.awaitProgress();
                    servers.start(victim);
                    load.awaitProgress();
                }
                load.finish();
                load.check();
            } catch (Exception | AssertionError e) {
                throw new AssertionError("-Dholdfast.seed=%d\n%s".formatted(seed, servers.logs()), e);
            }
        }
    }
}
