package dev.holdfast.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** NO-SEAM on the side of those who wait: a change between looking and waiting is never missed. */
final class FeedSignalsTest {

    private final FeedSignals signals = new FeedSignals();
    private final List<String> woken = new ArrayList<>();

    @Test
    void a_waiter_is_woken_once_for_each_time_it_asked() {
        try (FeedWatch watch = signals.watch(7)) {
            watch.onChange(watch.version(), () -> woken.add("a"));
            grow(7);
            grow(7);
        }
        assertThat(woken).containsExactly("a");
    }

    @Test
    void a_change_between_looking_and_waiting_wakes_at_once() {
        try (FeedWatch watch = signals.watch(7)) {
            long seen = watch.version();
            grow(7);
            watch.onChange(seen, () -> woken.add("a"));
        }
        assertThat(woken).containsExactly("a");
    }

    @Test
    void a_waiter_that_was_taken_back_or_waits_for_another_session_is_not_woken() {
        try (FeedWatch seven = signals.watch(7);
                FeedWatch eight = signals.watch(8)) {
            Runnable wake = () -> woken.add("seven");
            seven.onChange(seven.version(), wake);
            seven.cancel(wake);
            eight.onChange(eight.version(), () -> woken.add("eight"));
            grow(7);
        }
        assertThat(woken).isEmpty();
    }

    @Test
    void a_waiter_that_throws_does_not_keep_the_others_from_being_woken() {
        try (FeedWatch watch = signals.watch(7)) {
            watch.onChange(watch.version(), () -> {
                throw new IllegalStateException("on purpose");
            });
            watch.onChange(watch.version(), () -> woken.add("other"));
            grow(7);
        }
        assertThat(woken).containsExactly("other");
    }

    @Test
    void a_deleted_session_is_gone_for_those_who_watched_it() {
        try (FeedWatch watch = signals.watch(7)) {
            signals.gone(7);
            assertThat(watch.gone()).isTrue();
        }
    }

    @Test
    void nothing_is_kept_of_a_session_that_nobody_watches_any_more() {
        FeedWatch first = signals.watch(7);
        FeedWatch second = signals.watch(7);
        first.close();
        first.close();
        assertThat(signals.watchedSessions()).isEqualTo(1);
        second.close();
        assertThat(signals.watchedSessions()).isZero();
    }

    private void grow(long session) {
        signals.grew(session);
        signals.wake(session);
    }
}
