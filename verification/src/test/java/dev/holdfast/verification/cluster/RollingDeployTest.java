package dev.holdfast.verification.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.models.loopback.Pace;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Servers of a cluster at full work that are replaced one after the other, as a deployment does. */
final class RollingDeployTest {

    private static final int TERMINATED = 128 + 15;
    private static final int NUMBERS_PER_SECOND = 40;

    @TempDir
    private Path scratch;

    @ParameterizedTest
    @EnumSource
    @Timeout(600)
    void clients_that_come_back_after_503_and_cuts_lose_nothing_and_double_nothing_ONE_OUTCOME_EVERY_CURSOR(
            Learning learning) throws Exception {
        long seed = Long.getLong("holdfast.seed", System.nanoTime());
        try (CountingModel model = new CountingModel(Pace.eventsPerSecond(NUMBERS_PER_SECOND));
                Servers servers = new Servers(scratch, options(model, learning));
                Load load = new Load(servers, seed)) {
            try {
                load.awaitProgress();
                for (int server = 0; server < replaced(learning); server++) {
                    assertThat(servers.terminate(server)).isEqualTo(TERMINATED);
                    load.awaitProgress();
                    servers.start(server);
                    load.awaitProgress();
                }
                load.finish();
                load.check();
            } catch (Exception | AssertionError e) {
                throw new AssertionError("-Dholdfast.seed=%d\n%s".formatted(seed, servers.logs()), e);
            }
        }
    }

    /** All; where nobody is told of anything one shows whatever three would. */
    private static int replaced(Learning learning) {
        return learning == Learning.BY_HINTS ? Servers.COUNT : 1;
    }

    /** Turns do not end by themselves within so short a grace, so that they move. */
    private static List<String> options(CountingModel model, Learning learning) {
        List<String> options = new ArrayList<>(model.options(learning));
        options.addAll(List.of("--drain-grace", "100ms"));
        return options;
    }
}
