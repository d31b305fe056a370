package dev.holdfast.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

final class AgeMarksTest {

    private static final long SPAN = 100;

    private static LongStream cuts(AgeMarks marks) {
        return LongStream.range(0, 20).filter(marks::cutsBefore);
    }

    @Test
    void a_block_is_cut_where_its_chunks_would_span_too_much_time() {
        AgeMarks marks = new AgeMarks(SPAN);
        marks.added(0, 1_000, true);
        marks.added(3, 1_000 + SPAN, false);
        marks.added(5, 1_001 + SPAN, false);
        marks.added(7, 5_000, false);

        assertThat(cuts(marks)).containsExactly(5L, 7L);
        assertThat(marks.since()).isEqualTo(1_000);
        assertThat(marks.lastBelow(5)).isEqualTo(1_000 + SPAN);
        assertThat(marks.lastBelow(7)).isEqualTo(1_001 + SPAN);
        assertThat(marks.lastBelow(9)).isEqualTo(5_000);
    }

    @Test
    void what_is_sealed_takes_its_cuts_with_it() {
        AgeMarks marks = new AgeMarks(SPAN);
        marks.added(0, 1_000, true);
        marks.added(5, 2_000, false);
        marks.added(7, 3_000, false);
        marks.added(9, 4_000, false);

        marks.sealedTo(4);
        assertThat(cuts(marks)).containsExactly(5L, 7L, 9L);
        assertThat(marks.since()).isEqualTo(1_000);

        marks.sealedTo(8);
        assertThat(cuts(marks)).containsExactly(9L);
        assertThat(marks.since()).isEqualTo(3_000);

        marks.sealedTo(12);
        marks.added(12, 5_000, true);
        assertThat(cuts(marks)).isEmpty();
        assertThat(marks.since()).isEqualTo(5_000);
    }

    @Test
    void a_stream_that_does_not_retain_by_age_has_no_cuts() {
        OpenBlock open = new OpenBlock(0, 0);
        open.add(List.of(new byte[1]), 1, 1_000);
        open.add(List.of(new byte[1]), 2, 1_000_000);

        assertThat(open.cutsBefore(1)).isFalse();
        assertThat(open.lastBelow(1)).isEqualTo(1_000_000);
    }
}
