package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class OpeningTest {

    private final List<String> closed = new ArrayList<>();
    private final Opening opening = new Opening();

    @Test
    void what_was_opened_is_closed_once_and_the_last_first() {
        opens("first");
        opens("second");
        opening.close();
        opening.close();
        assertThat(closed).containsExactly("second", "first");
    }

    @Test
    void nothing_is_closed_when_all_went_well() {
        opens("first");
        opening.done();
        opening.close();
        assertThat(closed).isEmpty();
    }

    @Test
    void closes_that_fail_spare_none_of_the_others_and_are_all_told() {
        Error last = new AssertionError("of the first");
        RuntimeException first = new IllegalStateException("of the third");
        opens("first", () -> {
            throw last;
        });
        opens("second");
        opens("third", () -> {
            throw first;
        });
        assertThatThrownBy(opening::close).isSameAs(first).hasSuppressedException(last);
        assertThat(closed).containsExactly("third", "second", "first");
    }

    private void opens(String name) {
        opens(name, () -> {});
    }

    private void opens(String name, Runnable end) {
        opening.opened(() -> {
            closed.add(name);
            end.run();
        });
    }
}
