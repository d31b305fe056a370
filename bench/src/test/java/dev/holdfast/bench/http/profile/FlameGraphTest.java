package dev.holdfast.bench.http.profile;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class FlameGraphTest {

    @Test
    void a_frame_is_as_wide_as_its_part_of_the_samples_and_names_itself() {
        CallTree tree = new CallTree();
        for (int i = 0; i < 3; i++) {
            tree.add(List.of("main", "d.h.Committer.run"));
        }
        tree.add(List.of("main", "a<b>"));

        String svg = FlameGraph.of(tree, "a & b");

        assertThat(svg)
                .contains("a &amp; b")
                .contains("<title>d.h.Committer.run, 75.0 %, 3 samples</title>")
                .contains("<title>a&lt;b&gt;, 25.0 %, 1 samples</title>")
                .containsPattern("75\\.0 %, 3 samples</title><rect x=\"300\\.0\" y=\"\\d+\" width=\"899\\.5\"");
    }

    @Test
    void what_is_too_narrow_to_see_is_left_out() {
        CallTree tree = new CallTree();
        for (int i = 0; i < 9_999; i++) {
            tree.add(List.of("often"));
        }
        tree.add(List.of("once"));

        assertThat(FlameGraph.of(tree, "title")).contains("often").doesNotContain("once");
    }
}
