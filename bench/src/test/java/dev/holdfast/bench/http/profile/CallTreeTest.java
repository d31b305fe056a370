package dev.holdfast.bench.http.profile;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class CallTreeTest {

    private final CallTree tree = new CallTree();

    @Test
    void callees_stand_below_their_callers_and_the_smallest_are_left_out() {
        for (int i = 0; i < 98; i++) {
            tree.add(List.of("main", "work", i % 2 == 0 ? "read" : "write"));
        }
        tree.add(List.of("main", "rest"));
        tree.add(List.of("main", "other"));

        assertThat(tree.tree(2).lines().map(String::stripTrailing))
                .containsExactly("100.0 % main", " 98.0 %   work", " 49.0 %     read", " 49.0 %     write");
    }

    @Test
    void a_frame_that_calls_itself_counts_once() {
        tree.add(List.of("d.h.A.a", "d.h.A.a"));

        assertThat(tree.busiest(5, List.of("d.h."))).isEqualTo("100.0 % d.h.A.a" + System.lineSeparator());
    }
}
