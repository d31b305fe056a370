package dev.holdfast.verification.cluster;

import dev.holdfast.models.loopback.Pace;
import dev.holdfast.store.postgres.PostgresPair;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The database of a cluster at full work is lost with its machine, and its standby, for which every commit waited, is made the primary by hand. The
 * servers find it by themselves.
 */
final class FailoverTest {

    private static final int MAX_APPENDS = 200;
    private static final int NUMBERS_PER_SECOND = 40;

    @TempDir
    private Path scratch;

    @Test
    @Timeout(600)
    void what_was_acknowledged_is_at_the_promoted_standby_once_and_goes_on_there_EXACT_PREFIX_NEVER_BOTH_ONE_OUTCOME()
            throws Exception {
        long seed = Long.getLong("holdfast.seed", System.nanoTime());
        try (PostgresPair databases = PostgresPair.start();
                CountingModel model = new CountingModel(Pace.eventsPerSecond(NUMBERS_PER_SECOND));
                Servers servers = new Servers(scratch, model.options(), databases.jdbcUrl());
                Load load = new Load(servers, seed)) {
            try {
                load.awaitProgress();
                load.awaitAppends(1 + new Random(seed).nextInt(MAX_APPENDS));
                databases.killPrimary();
                databases.promoteStandby();
                load.awaitProgress();
                servers.awaitShares();
                load.finish();
                load.check();
            } catch (Exception | AssertionError e) {
                throw new AssertionError("-Dholdfast.seed=%d\n%s".formatted(seed, servers.logs()), e);
            }
        }
    }
}
