package dev.holdfast.verification.cluster;

import dev.holdfast.models.loopback.Pace;
import dev.holdfast.store.postgres.PostgresServer;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The database of a cluster at full work crashes and is started again at the same address, again and again. */
final class CrashedDatabaseTest {

    private static final boolean NIGHTLY = "nightly".equals(System.getProperty("holdfast.profile"));
    private static final int CRASHES = NIGHTLY ? 30 : 2;
    private static final int MAX_APPENDS = 200;
    private static final int NUMBERS_PER_SECOND = 40;

    @TempDir
    private Path scratch;

    @Test
    @Timeout(3600)
    void what_was_acknowledged_is_there_once_and_goes_on_by_itself_EXACT_PREFIX_NEVER_BOTH_ONE_OUTCOME()
            throws Exception {
        long seed = Long.getLong("holdfast.seed", System.nanoTime());
        Random random = new Random(seed);
        try (PostgresServer database = PostgresServer.start();
                CountingModel model = new CountingModel(Pace.eventsPerSecond(NUMBERS_PER_SECOND));
                Servers servers = new Servers(scratch, model.options(), database.jdbcUrl());
                Load load = new Load(servers, seed)) {
            try {
                load.awaitProgress();
                for (int crash = 0; crash < CRASHES; crash++) {
                    load.awaitAppends(1 + random.nextInt(MAX_APPENDS));
                    database.crash();
                    database.restart();
                    load.awaitProgress();
                }
                servers.awaitShares();
                load.finish();
                load.check();
            } catch (Exception | AssertionError e) {
                throw new AssertionError("-Dholdfast.seed=%d\n%s".formatted(seed, servers.logs()), e);
            }
        }
    }
}
