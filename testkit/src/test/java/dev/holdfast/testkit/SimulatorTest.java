package dev.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.holdfast.testkit.sim.Simulator;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/**
 * Thousands of histories in the fast profile, as many as fit into an hour in the nightly one. {@code -Dholdfast.seed=N} reruns one,
 * {@code -Dholdfast.seeds=N} says how many, {@code -Dholdfast.firstSeed=N} where they start.
 */
final class SimulatorTest {

    private static final int FAST_SEEDS = 5_000;
    private static final Duration NIGHTLY = Duration.ofHours(1);

    @BeforeAll
    static void silenceTheExpectedTrouble() {
        ((Logger) LoggerFactory.getLogger("dev.holdfast")).setLevel(Level.OFF);
    }

    @Test
    void a_history_is_the_same_each_time_so_that_a_seed_is_all_there_is_to_remember() {
        for (long seed = 1; seed <= 50; seed++) {
            assertThat(Simulator.transcript(seed)).isEqualTo(Simulator.transcript(seed));
        }
    }

    @Test
    void every_history_keeps_every_invariant_whatever_the_disk_does_and_whenever_the_process_dies() {
        Long one = Long.getLong("holdfast.seed");
        if (one != null) {
            Simulator.run(one);
            return;
        }
        boolean nightly = "nightly".equals(System.getProperty("holdfast.profile"));
        long first = nightly ? System.currentTimeMillis() * 1_000 : Long.getLong("holdfast.firstSeed", 1);
        long count = Long.getLong("holdfast.seeds", nightly ? Long.MAX_VALUE : FAST_SEEDS);
        long end = System.nanoTime() + NIGHTLY.toNanos();
        for (long i = 0; i < count && System.nanoTime() < end; i++) {
            Simulator.run(first + i);
        }
    }
}
