package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testkit.MovedTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Many deadlines on one timer. */
final class DeadlinesTest {

    private static final long SECOND = 1_000_000_000;

    private final MovedTime time = new MovedTime();
    private final Deadlines deadlines = new Deadlines(time, time);
    private final List<String> ran = new ArrayList<>();

    private Deadlines.Deadline set(String name, long seconds) {
        return setNanos(name, seconds * SECOND);
    }

    private Deadlines.Deadline setNanos(String name, long nanos) {
        Deadlines.Deadline deadline = deadlines.of(() -> ran.add(name));
        deadline.set(time.monotonicNanos() + nanos);
        return deadline;
    }

    private void advance(long seconds) {
        time.advance(Duration.ofSeconds(seconds));
    }

    @Test
    void each_runs_once_when_its_time_has_come() {
        Deadlines.Deadline unused = set("late", 20);
        unused = set("early", 10);
        advance(9);
        assertThat(ran).isEmpty();
        advance(1);
        assertThat(ran).containsExactly("early");
        advance(10);
        assertThat(ran).containsExactly("early", "late");
        advance(100);
        assertThat(ran).hasSize(2);
    }

    @Test
    void while_nobody_waits_there_is_no_timer_IDLE_IS_SILENT() {
        Deadlines.Deadline one = set("one", 10);
        Deadlines.Deadline other = set("other", 20);
        assertThat(time.waitingTimers()).isEqualTo(1);
        one.cancel();
        assertThat(time.waitingTimers()).isEqualTo(1);
        other.cancel();
        other.cancel();
        assertThat(time.waitingTimers()).isZero();
        advance(100);
        assertThat(ran).isEmpty();
        assertThat(time.waitingTimers()).isZero();
    }

    @Test
    void one_that_is_moved_nearer_runs_then() {
        Deadlines.Deadline one = set("one", 20);
        one.set(time.monotonicNanos() + 5 * SECOND);
        advance(5);
        assertThat(ran).containsExactly("one");
        advance(100);
        assertThat(ran).hasSize(1);
    }

    @Test
    void one_that_is_moved_on_with_every_event_comes_early_once_and_sets_no_timers() {
        Deadlines.Deadline busy = set("busy", 15);
        int before = time.timersMade();
        for (int i = 0; i < 14; i++) {
            advance(1);
            busy.set(time.monotonicNanos() + 15 * SECOND);
        }
        assertThat(time.timersMade()).isEqualTo(before);
        advance(1);
        assertThat(ran).containsExactly("busy");
        busy.set(time.monotonicNanos() + 14 * SECOND);
        advance(14);
        assertThat(ran).containsExactly("busy", "busy");
    }

    @Test
    void ten_thousand_spread_over_some_seconds_need_some_hundred_timers() {
        SplittableRandom random = new SplittableRandom(7);
        for (int i = 0; i < 10_000; i++) {
            Deadlines.Deadline unused = setNanos("one", random.nextLong(5 * SECOND));
        }
        int before = time.timersMade();
        for (int i = 0; i < 5_100; i++) {
            time.advance(Duration.ofMillis(1));
        }
        assertThat(ran).hasSize(10_000);
        assertThat(time.timersMade() - before).isLessThanOrEqualTo(510);
        assertThat(time.waitingTimers()).isZero();
    }
}
