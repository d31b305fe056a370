package dev.holdfast.http.durablestreams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.store.Time;
import org.junit.jupiter.api.Test;

/** A cursor never goes back: a client that asks with the one it got never gets the same answer from a cache for ever. */
final class CacheCursorTest {

    private static final long EPOCH_MILLIS = 1_728_432_000_000L;

    private static Time at(long millis, long random) {
        return new Time() {
            @Override
            public long wallMillis() {
                return millis;
            }

            @Override
            public long monotonicNanos() {
                return 0;
            }

            @Override
            public long randomLong() {
                return random;
            }
        };
    }

    @Test
    void it_is_the_number_of_the_interval() {
        assertThat(CacheCursor.after(at(EPOCH_MILLIS, 0), null)).isZero();
        assertThat(CacheCursor.after(at(EPOCH_MILLIS + 20_000 * 7 + 19_999, 0), null))
                .isEqualTo(7);
        assertThat(CacheCursor.after(at(EPOCH_MILLIS + 20_000 * 7, 0), "6")).isEqualTo(7);
        assertThat(CacheCursor.after(at(0, 0), null))
                .as("a clock that is wrong")
                .isZero();
    }

    @Test
    void whoever_brings_this_interval_or_a_later_one_gets_a_greater_one_within_an_hour() {
        for (long random : new long[] {0, 1, 179, 180, -1, Long.MIN_VALUE, Long.MAX_VALUE}) {
            Time now = at(EPOCH_MILLIS + 20_000 * 100, random);
            assertThat(CacheCursor.after(now, "100")).isBetween(101L, 280L);
            assertThat(CacheCursor.after(now, "5000")).isBetween(5001L, 5180L);
        }
    }

    @Test
    void what_is_no_number_counts_as_none() {
        for (String given : new String[] {"", "x", "-5", "1.5", "9".repeat(40)}) {
            assertThat(CacheCursor.after(at(EPOCH_MILLIS + 20_000 * 7, 0), given))
                    .isEqualTo(7);
        }
    }
}
