package dev.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.holdfast.testkit.sim.Simulator;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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

    @Test
    void a_subject_that_is_not_there_is_refused_with_the_names_of_those_that_are() {
        assertThat(Simulator.Subject.named("STREAMS")).isEqualTo(Simulator.Subject.STREAMS);
        assertThatThrownBy(() -> Simulator.Subject.named("STREAM"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("\"STREAM\"", "STREAMS", "SESSIONS");
    }

    /** A planted rule: a history may have two events of the second kind, after one of the first; to have none of the first is another failure. */
    private static final class Planted implements Consumer<String> {
        private final String first;
        private final String second;
        private int left = 3;
        private boolean begun;

        Planted(String first, String second) {
            this.first = first;
            this.second = second;
        }

        @Override
        public void accept(String line) {
            begun |= line.startsWith(first);
            if (line.startsWith(second)) {
                if (!begun) {
                    throw new IllegalStateException("planted: another failure");
                }
                if (--left == 0) {
                    throw new IllegalStateException("planted: too many");
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"STREAMS, Open[, Append[", "SESSIONS, Create[, Start["})
    void a_failure_prints_its_seed_and_a_history_of_few_events(Simulator.Subject subject, String first, String second) {
        long seed = seedWithBoth(subject, first, second);

        assertThatThrownBy(() -> subject.run(seed, () -> new Planted(first, second)))
                .isInstanceOf(AssertionError.class)
                .hasMessageContainingAll(
                        "seed %d of %s".formatted(seed, subject),
                        "-Dholdfast.subject=%s -Dholdfast.seed=%d".formatted(subject, seed),
                        "planted: too many")
                .satisfies(failure -> {
                    List<String> events =
                            String.valueOf(failure.getMessage()).lines().skip(2).toList();
                    assertThat(events).as("the shortest history").hasSize(4);
                    assertThat(events.getFirst()).startsWith(first);
                    assertThat(events.subList(1, 4)).allMatch(line -> line.startsWith(second));
                });
    }

    private static long seedWithBoth(Simulator.Subject subject, String first, String second) {
        for (long seed = 1; ; seed++) {
            List<String> transcript = subject.transcript(seed);
            boolean begins = false;
            int seconds = 0;
            for (String line : transcript) {
                begins |= line.startsWith(first);
                if (line.startsWith(second)) {
                    if (!begins) {
                        break;
                    }
                    seconds++;
                }
            }
            if (seconds >= 3) {
                return seed;
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void every_history_keeps_every_invariant_whatever_the_disk_does_and_whenever_the_process_dies(
            Simulator.Subject subject) {
        Simulator.Subject wanted = Simulator.Subject.named(System.getProperty("holdfast.subject", subject.name()));
        assumeThat(subject).as("the subject that was asked for").isEqualTo(wanted);
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
