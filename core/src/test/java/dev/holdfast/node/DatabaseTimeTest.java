package dev.holdfast.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.store.Time;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class DatabaseTimeTest {

    private static final long START = 1_000_000_000_000L;

    /** The machine's clocks: a wall clock that is wrong, and one that measures. */
    private static final class Machine implements Time {
        private long nanos;

        void pass(Duration time) {
            nanos += time.toNanos();
        }

        @Override
        public long wallMillis() {
            return 7;
        }

        @Override
        public long monotonicNanos() {
            return nanos;
        }

        @Override
        public long randomLong() {
            return 1;
        }
    }

    private final Machine machine = new Machine();
    private final DatabaseTime time = new DatabaseTime(machine);

    @Test
    void it_is_the_databases_and_goes_on_between_two_readings_whatever_the_machines_wall_clock_says() {
        time.set(START);
        machine.pass(Duration.ofSeconds(3));
        assertThat(time.wallMillis()).isEqualTo(START + 3_000);
        time.read(START + 4_000, machine.monotonicNanos());
        assertThat(time.wallMillis()).isEqualTo(START + 4_000);
    }

    @Test
    void a_reading_that_is_a_little_behind_does_not_take_it_back() {
        time.set(START);
        machine.pass(Duration.ofSeconds(3));
        time.read(START + 1_000, machine.monotonicNanos());
        assertThat(time.wallMillis()).isEqualTo(START + 3_000);
    }

    @Test
    void it_follows_a_database_whose_clock_went_back() {
        time.set(START);
        machine.pass(Duration.ofSeconds(3));
        time.read(START - 3_600_000, machine.monotonicNanos());
        assertThat(time.wallMillis()).isEqualTo(START - 3_600_000);
        machine.pass(Duration.ofSeconds(1));
        assertThat(time.wallMillis()).isEqualTo(START - 3_600_000 + 1_000);
    }
}
