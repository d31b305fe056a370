package dev.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.holdfast.testkit.sim.Simulator;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/**
 * Thousands of histories in the fast profile, as many as fit into an hour for each subject in the nightly one. {@code -Dholdfast.seed=N}
 * with {@code -Dholdfast.subject=S} reruns one, {@code -Dholdfast.seeds=N} says how many, {@code -Dholdfast.minutes=N} for how long, and
 * {@code -Dholdfast.firstSeed=N} where they start.
 */
final class SimulatorTest {

    private static final int FAST_SEEDS = 3_000;
    private static final int NIGHTLY_MINUTES = 60;

    @BeforeAll
    static void silenceTheExpectedTrouble() {
        ((Logger) LoggerFactory.getLogger("dev.holdfast")).setLevel(Level.OFF);
    }

    @ParameterizedTest
    @EnumSource
    void a_history_is_the_same_each_time_so_that_a_seed_is_all_there_is_to_remember(Simulator.Subject subject) {
        for (long seed = 1; seed <= 50; seed++) {
            assertThat(subject.transcript(seed)).isEqualTo(subject.transcript(seed));
        }
    }

    @ParameterizedTest
    @EnumSource
    void every_history_keeps_every_invariant_whatever_the_disk_does_and_whenever_the_process_dies(
            Simulator.Subject subject) {
        if (!subject.name().equals(System.getProperty("holdfast.subject", subject.name()))) {
            return;
        }
        Long one = Long.getLong("holdfast.seed");
        if (one != null) {
            subject.run(one);
            return;
        }
        boolean nightly = "nightly".equals(System.getProperty("holdfast.profile"));
        long first = Long.getLong("holdfast.firstSeed", nightly ? System.currentTimeMillis() * 1_000 : 1);
        long count = Long.getLong("holdfast.seeds", nightly ? Long.MAX_VALUE : FAST_SEEDS);
        long end = System.nanoTime()
                + Duration.ofMinutes(Long.getLong("holdfast.minutes", NIGHTLY_MINUTES))
                        .toNanos();
        long done = 0;
        while (done < count && System.nanoTime() < end) {
            subject.run(first + done++);
        }
        LoggerFactory.getLogger("simulator").info("{}: {} histories from seed {} on", subject, done, first);
    }
}
